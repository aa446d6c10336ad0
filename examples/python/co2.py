"""co2.py - a Gaussian process of carbon dioxide: intervals and parts.

Trend, yearly wave and irregularities are terms of one kernel; each has its own
share in the prediction, with its own uncertainty.  The last ten years are held
out.  Saves co2.png.
"""
import numpy as np

import gram

KERNEL = (
    "?*rbf(length=?20000)"
    " + ?*periodic(period=365.25, length=?1)*rbf(length=?30000)"
    " + ?*matern(length=?400)"
)
NAMES = ("trend", "yearly wave", "irregular")
SPLIT = np.datetime64("1992-01-01")


def year(when):
    """Dates as numbers, for the axis of a plot."""
    return 1970 + (when - np.datetime64("1970-01-01")) / np.timedelta64(
        31556952, "s"
    )


def plot(when, co2, model, lower, upper):
    """The series with its interval, and its parts."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    x, late = year(when), when >= SPLIT
    parts, stds = model.predict_terms({"when": when}, return_std=True)
    _, axes = plt.subplots(4, 1, figsize=(8, 9), sharex=True)
    axes[0].plot(x, co2, "k.", ms=2)
    axes[0].fill_between(x[late], lower, upper, alpha=0.4)
    axes[0].set(ylabel="ppm", title="CO2, 90 % intervals for what is held out")
    shares = zip(axes[1:], NAMES, parts.values(), stds.values())
    for axis, name, part, std in shares:
        axis.plot(x, part, lw=0.8)
        axis.fill_between(x, part - 2 * std, part + 2 * std, alpha=0.3)
        axis.set(ylabel=name)
    plt.tight_layout()
    plt.savefig("co2.png", dpi=120)


def main():
    """Fit to the early years, predict the late ones."""
    data = gram.read("builtin:co2")
    when, co2 = data["when"], data["co2"]
    early, late = when < SPLIT, when >= SPLIT
    model = gram.GaussianProcessRegressor(
        KERNEL, normalize_y=True, scale="none"
    ).fit({"when": when[early]}, co2[early])
    print("learned:", model.kernel_)
    print(f"log evidence {model.log_marginal_likelihood_value_:.2f}, noise "
          f"{model.noise_variance_ ** 0.5:.3f} ppm")  # fmt: skip
    mean = model.predict({"when": when[late]})
    lower, upper = model.predict_interval({"when": when[late]}, 0.9)
    error = np.sqrt(np.mean((mean - co2[late]) ** 2))
    inside = np.mean((lower <= co2[late]) & (co2[late] <= upper))
    print(f"held out: error {error:.2f} ppm, {100 * inside:.0f} % inside 90 %")
    plot(when, co2, model, lower, upper)


if __name__ == "__main__":
    main()

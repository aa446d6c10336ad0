"""co2.py - a Gaussian process of carbon dioxide: intervals and parts.

Trend, yearly wave and irregularities are terms of one kernel; each has its own
share in the prediction, with its own uncertainty.  Every fifth year is held
out, and looked at afterwards.  Saves co2.png.
"""
import numpy as np

import gram

KERNEL = (
    "?*rbf(length=?20000)"
    " + ?*periodic(period=365.25, length=?1)*rbf(length=?30000)"
    " + ?*matern(length=?400)"
)
NAMES = ("trend", "yearly wave", "irregular")


def year(when):
    """Dates as numbers, for the axis of a plot."""
    return 1970 + (when - np.datetime64("1970-01-01")) / np.timedelta64(
        31556952, "s"
    )


def plot(when, co2, out, model):
    """The series with its intervals, and its parts."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    x = year(when)
    lower, upper = model.predict_interval({"when": when}, 0.9)
    parts, stds = model.predict_terms({"when": when}, return_std=True)
    _, axes = plt.subplots(4, 1, figsize=(8, 9), sharex=True)
    axes[0].fill_between(x, lower, upper, alpha=0.4)
    axes[0].plot(x[~out], co2[~out], "k.", ms=2)
    axes[0].plot(x[out], co2[out], "r.", ms=3, label="held out")
    axes[0].set(ylabel="ppm", title="CO2 with 90 % intervals")
    axes[0].legend()
    shares = zip(axes[1:], NAMES, parts.values(), stds.values())
    for axis, name, part, std in shares:
        axis.plot(x, part, lw=0.8)
        axis.fill_between(x, part - 2 * std, part + 2 * std, alpha=0.3)
        axis.set(ylabel=name)
    plt.tight_layout()
    plt.savefig("co2.png", dpi=120)


def main():
    """Fit to four years of five, predict the fifth."""
    data = gram.read("builtin:co2")
    when, co2 = data["when"], data["co2"]
    out = when.astype("datetime64[Y]").astype(int) % 5 == 0
    model = gram.GaussianProcessRegressor(
        KERNEL, normalize_y=True, scale="none"
    ).fit({"when": when[~out]}, co2[~out])
    print("learned:", model.kernel_)
    print(
        f"log evidence {model.log_marginal_likelihood_value_:.2f}, "
        f"noise {model.noise_variance_ ** 0.5:.3f} ppm"
    )
    mean = model.predict({"when": when[out]})
    lower, upper = model.predict_interval({"when": when[out]}, 0.9)
    error = np.sqrt(np.mean((mean - co2[out]) ** 2))
    inside = np.mean((lower <= co2[out]) & (co2[out] <= upper))
    print(f"held out: error {error:.2f} ppm, {100 * inside:.0f} % inside 90 %")
    plot(when, co2, out, model)


if __name__ == "__main__":
    main()

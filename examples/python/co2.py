"""co2.py - a Gaussian process of carbon dioxide: intervals and parts.

Trend, yearly wave and irregularities are terms of one kernel; each has its own
share in the prediction.  Every fifth year is held out, and looked at
afterwards; ten more years are predicted.  Saves co2.png.
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
    """The series with what is to come, and its parts."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    x = year(when)
    later = when[-1] + np.arange(0, 3653, 15) * np.timedelta64(86400, "s")
    lower, upper = model.predict_interval({"when": later}, 0.9)
    _, axes = plt.subplots(
        4, 1, figsize=(8, 9), sharex=True, height_ratios=(2, 1, 1, 1)
    )
    band = {"alpha": 0.4, "label": "90 % interval"}
    axes[0].fill_between(year(later), lower, upper, **band)
    axes[0].plot(x[~out], co2[~out], "k.", ms=2, label="fitted to")
    axes[0].plot(x[out], co2[out], "r.", ms=3, label="held out")
    axes[0].set(ylabel="ppm", title="CO2, its next ten years, and its parts")
    axes[0].legend(loc="upper left")
    both = np.concatenate([when, later])
    parts = model.predict_terms({"when": both})
    for axis, name, part in zip(axes[1:], NAMES, parts.values()):
        axis.plot(year(both), part, lw=0.8)
        axis.axvline(x[-1], color="gray", lw=0.5)
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

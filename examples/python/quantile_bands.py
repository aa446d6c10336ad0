"""quantile_bands.py - bands that follow noise of any shape.

The spread of y grows with x and is skew.  A Gaussian process has one noise for
all x, and its band is too wide on the left and too narrow on the right; the
quantiles 5, 25, 50, 75 and 95 % are regressed as such, and do not cross.
Saves quantile_bands.png.
"""
import numpy as np

import gram

TAUS = [0.05, 0.25, 0.5, 0.75, 0.95]
ROWS = 400


def draw(rng, rows):
    """x and y, with noise that grows and is skew."""
    x = np.sort(rng.uniform(0, 6, rows))
    noise = (0.1 + 0.15 * x) * (rng.exponential(1, rows) - 1)
    return x[:, np.newaxis], np.sin(x) + noise


def inside(y, lower, upper, left):
    """Shares of y between the ends, left and right of the middle."""
    hit = (lower < y) & (y < upper)
    return f"{100 * hit[left].mean():.0f} %, {100 * hit[~left].mean():.0f} %"


def plot(x, y, grid, bands, lower, upper):
    """Both bands over the rows."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    _, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharex=True, sharey=True)
    for axis in axes:
        axis.plot(x[:, 0], y, "k.", ms=3, label="rows")
        axis.set(xlabel="x")
    axes[0].fill_between(grid[:, 0], lower, upper, alpha=0.4)
    axes[0].set(title="Gaussian process, 90 %", ylabel="y")
    for low, high, part in ((0, 4, "5 to 95 %"), (1, 3, "25 to 75 %")):
        axes[1].fill_between(
            grid[:, 0], bands[:, low], bands[:, high], color="C1", alpha=0.35,
            label=part,
        )  # fmt: skip
    axes[1].plot(grid[:, 0], bands[:, 2], color="C3", label="median")
    axes[1].set(title="quantiles")
    axes[1].legend(loc="upper left")
    plt.tight_layout()
    plt.savefig("quantile_bands.png", dpi=120)


def main():
    """Fit both, look at new rows, plot."""
    rng = np.random.default_rng(1)
    x, y = draw(rng, ROWS)
    process = gram.GaussianProcessRegressor("rbf", normalize_y=True).fit(x, y)
    quantiles = gram.QuantileRegressor(
        TAUS, kernel="rbf(gamma=?[0.1,0.3,1])", lam=[0.03, 0.1, 0.3, 1]
    ).fit(x, y)
    print("chosen:", quantiles.kernel_, "lambda", quantiles.lam_[0])
    new, truth = draw(rng, 4000)
    left = new[:, 0] < 3
    bands = quantiles.predict(new)
    print("of new rows inside the 90 % band, left and right:")
    print("  quantiles", inside(truth, bands[:, 0], bands[:, 4], left))
    ends = process.predict_interval(new, 0.9)
    print("  process  ", inside(truth, *ends, left))
    grid = np.linspace(0, 6, 200)[:, np.newaxis]
    ends = process.predict_interval(grid, 0.9)
    plot(x, y, grid, quantiles.predict(grid), *ends)


if __name__ == "__main__":
    main()

"""drift.py - have the parts changed since the service?  Where?

Two samples of lengths, widths and weights: no column has moved much by itself,
together they have.  The test says so, ranks the columns, and the witness shows
where the parts made before are denser, and where those made after.
Saves drift.png.
"""
import numpy as np

import gram

COLUMNS = ["length", "width", "weight"]


def rows_of(name):
    """A data set inside the library, as an array."""
    table = gram.read(name)
    return np.column_stack([table[key] for key in COLUMNS])


def plot(before, after, found, title):
    """The witness over the two columns that matter most."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    i, j = (int(name[1:]) for name in found.columns()["column"][:2])
    both = np.vstack([before, after])
    axes = [np.linspace(both[:, k].min(), both[:, k].max(), 60) for k in (i, j)]
    grid = np.tile(both.mean(0), (3600, 1))
    grid[:, i], grid[:, j] = (a.ravel() for a in np.meshgrid(*axes))
    height = found.witness(grid).reshape(60, 60)
    limit = abs(height).max()
    plt.figure(figsize=(6.4, 5))
    plt.contourf(*axes, height, 20, cmap="RdBu_r", vmin=-limit, vmax=limit)
    plt.colorbar(label="denser before (red) or after (blue)")
    edge = {"s": 14, "linewidths": 0.4, "edgecolors": "white"}
    plt.scatter(before[:, i], before[:, j], c="darkred", label="before", **edge)
    plt.scatter(after[:, i], after[:, j], c="navy", label="after", **edge)
    plt.legend(loc="upper left")
    plt.xlabel(COLUMNS[i])
    plt.ylabel(COLUMNS[j])
    plt.title(title)
    plt.tight_layout()
    plt.savefig("drift.png", dpi=120)


def main():
    """Test, rank the columns, plot."""
    before, after = rows_of("builtin:before"), rows_of("builtin:after")
    found = gram.mmd_test(before, after, aggregate=True)
    print(found)
    parts = found.columns()
    for name, part in zip(parts["column"], parts["part"]):
        share = 100 * min(part, 1)
        print(f"  {COLUMNS[int(name[1:])]:8s} {share:3.0f} % less without it")
    title = f"before and after, p = {found.p_value:.3g}"
    plot(before, after, gram.mmd_test(before, after), title)


if __name__ == "__main__":
    main()

"""The picture of the README: a curve with its interval, and classes that no
line could tell apart.

    python3 readme_picture.py [FILE.png]
"""
import sys

import numpy as np

import gram


def curve(axes):
    """Gaussian process regression of few noisy points of a curve."""
    draw = np.random.default_rng(7)
    x = np.sort(np.r_[draw.uniform(-6, -1, 16), draw.uniform(1.5, 6, 14)])
    y = np.sin(x) + 0.2 * x + 0.1 * draw.standard_normal(len(x))
    model = gram.KernelRegressor("rbf").fit(x[:, None], y)
    grid = np.linspace(-8, 8, 400)[:, None]
    mean, std = model.predict(grid, return_std=True)
    axes.fill_between(grid[:, 0], mean - 1.645 * std, mean + 1.645 * std,
                      color="#9ecae1", label="90 % interval")  # fmt: skip
    axes.plot(grid, mean, color="#08519c", label="prediction")
    axes.plot(x, y, "o", color="#222222", markersize=4, label="data")
    axes.set(xlim=(-8, 8), ylim=(-4, 4.5), title="regression with its uncertainty")
    axes.legend(loc="upper left", frameon=False)


def classes(axes):
    """The probability of one of two classes."""
    data = gram.read("builtin:moons")
    names = [name for name in data if name != "class"]
    X = np.column_stack([data[name] for name in names])
    label = np.asarray(data["class"]) == sorted(set(data["class"]))[1]
    model = gram.KernelClassifier("rbf").fit(X, label)
    low, high = X.min(0) - 0.4, X.max(0) + 0.4
    a, b = np.meshgrid(*(np.linspace(low[j], high[j], 160) for j in (0, 1)))
    p = model.predict_proba(np.column_stack([a.ravel(), b.ravel()]))[:, 1]
    p = p.reshape(a.shape)
    axes.contourf(a, b, p, levels=np.linspace(0, 1, 21), cmap="RdBu_r",
                  alpha=0.45)  # fmt: skip
    axes.contour(a, b, p, levels=[0.5], colors="#222222")
    for side, color in ((False, "#2166ac"), (True, "#b2182b")):
        axes.plot(*X[label == side].T, "o", color=color, markersize=3)
    axes.set(title="classes that no line can separate", xticks=[], yticks=[])


def main():
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print("matplotlib is missing: no picture")
        return
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), dpi=110)
    curve(axes[0])
    classes(axes[1])
    figure.tight_layout()
    path = sys.argv[1] if len(sys.argv) > 1 else "readme_picture.png"
    figure.savefig(path)
    print(path, "has the picture")


if __name__ == "__main__":
    main()

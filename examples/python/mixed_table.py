"""mixed_table.py - numbers, dates and categories in one kernel expression.

Rents of 300 flats: area and rooms act smoothly, the district multiplies, the
heating adds.  The kernel says so, its numbers are learned, and cross-validation
compares it with one that knows numbers only.  Saves mixed_table.png.
"""
import numpy as np

import gram

KERNELS = {
    "numbers only": "rbf[area,rooms,floor,built]",
    "with categories": (
        "?*rbf[area,rooms] + ?*rbf[area]*delta[district] + ?*delta[heating]"
        " + ?*rbf[built] + ?*linear[available]"
    ),
}


def load():
    """Columns by name, and the target."""
    data = gram.read("builtin:mixed", missing="drop")
    del data["note"]
    return data, np.log(data.pop("rent"))


def take(data, rows):
    """Some rows of all columns."""
    return {name: values[rows] for name, values in data.items()}


def held_out(kernel, data, y, folds=3):
    """The prediction of every row by a model that has not seen it."""
    fold = np.random.default_rng(1).permutation(len(y)) % folds
    out = np.empty(len(y))
    for f in range(folds):
        model = gram.KernelRegressor(kernel)
        model.fit(take(data, fold != f), y[fold != f])
        out[fold == f] = model.predict(take(data, fold == f))
    return out


def plot(y, predictions):
    """What was predicted beside what it was."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    _, axes = plt.subplots(1, 2, figsize=(9, 4.2), sharex=True, sharey=True)
    for axis, (title, out) in zip(axes, predictions.items()):
        axis.plot(np.exp(y), np.exp(out), ".", alpha=0.6)
        axis.axline((1000, 1000), slope=1, color="black", lw=0.8)
        axis.set(title=title, xlabel="rent", ylabel="predicted, held out")
    plt.tight_layout()
    plt.savefig("mixed_table.png", dpi=120)


def main():
    """Fit, compare, plot."""
    data, y = load()
    predictions = {}
    for title, kernel in KERNELS.items():
        predictions[title] = held_out(kernel, data, y)
        error = np.sqrt(np.mean((predictions[title] - y) ** 2))
        print(f"{title:<16} error of log rent, 3 folds: {error:.4f}")
    model = gram.KernelRegressor(KERNELS["with categories"]).fit(data, y)
    print("learned:", model.kernel_)
    plot(y, predictions)


if __name__ == "__main__":
    main()

"""svm_grid.py - a support vector machine, its numbers chosen on a grid.

Two half moons: every kernel and every C is tried on the same folds, which
share each matrix.  scikit-learn's GridSearchCV takes the same grid one fit
after the other, and finds the same errors, but for a row on the edge.
Saves svm_grid.png.
"""
import numpy as np
from sklearn.model_selection import GridSearchCV, PredefinedSplit

import gram

GAMMAS = [0.01, 0.1, 1, 10, 100]
PRICES = [0.1, 1, 10, 100]


def load():
    """Rows and their classes."""
    data = gram.read("builtin:moons")
    label = data.pop("class")
    return np.column_stack(list(data.values())), label


def plot(X, y, model, errors):
    """The error of every cell, and the best machine."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    _, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2))
    shown = left.imshow(errors, cmap="viridis_r")
    left.set(
        xticks=range(len(GAMMAS)), xticklabels=GAMMAS, xlabel="gamma",
        yticks=range(len(PRICES)), yticklabels=PRICES, ylabel="C",
        title="share of errors, 5 folds",
    )  # fmt: skip
    plt.colorbar(shown, ax=left)
    low, high = X.min(0) - 0.3, X.max(0) + 0.3
    a, b = np.meshgrid(*(np.linspace(low[j], high[j], 150) for j in (0, 1)))
    f = model.decision_function(np.column_stack([a.ravel(), b.ravel()]))
    right.contourf(a, b, f.reshape(a.shape), [-9, -1, 0, 1, 9], alpha=0.4)
    right.scatter(*X.T, c=y == model.classes_[1], s=8)
    right.scatter(*model.support_vectors_.T, s=40, fc="none", ec="black")
    right.set(title=f"{len(model.support_)} support vectors")
    plt.tight_layout()
    plt.savefig("svm_grid.png", dpi=120)


def main():
    """Choose, fit, compare, plot."""
    X, y = load()
    folds = np.random.default_rng(0).permutation(np.arange(len(X)) % 5)
    kernel = f"rbf(gamma=?[{','.join(map(str, GAMMAS))}])"
    chosen = gram.KernelClassifier(
        kernel, loss="hinge", C=PRICES, scale="none", folds=folds
    ).fit(X, y)
    tried = chosen.cv_results_
    errors = np.empty((len(PRICES), len(GAMMAS)))
    for spec, lam, error in zip(tried["kernel"], tried["lam"], tried["error"]):
        gamma = dict(gram.Kernel(spec).parameters)["rbf.gamma"]
        C = min(PRICES, key=lambda price: abs(price - 0.5 / lam))
        errors[PRICES.index(C), GAMMAS.index(gamma)] = error
    print(
        f"chosen: {chosen.kernel_}, C = {0.5 / chosen.lam_[0]:g}, "
        f"{100 * errors.min():.2f} % errors on folds"
    )
    grid = {"C": PRICES, "gamma": GAMMAS}
    search = GridSearchCV(gram.SVC(), grid, cv=PredefinedSplit(folds)).fit(X, y)
    theirs = 1 - search.cv_results_["mean_test_score"]
    print(
        f"GridSearchCV: {100 * theirs.min():.2f} % errors, over all cells "
        f"{abs(theirs.reshape(errors.shape) - errors).max():.1e} apart"
    )
    best = gram.SVC(
        kernel=chosen.kernel_, C=0.5 / chosen.lam_[0]
    ).fit(X, y)  # fmt: skip
    plot(X, y, best, errors)


if __name__ == "__main__":
    main()

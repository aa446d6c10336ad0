"""svm_grid.py - a support vector machine, its numbers chosen on a grid.

Two half moons: every kernel and every C is tried on the same folds, which
share each matrix.  The same grid with scikit-learn's GridSearchCV gives the
same picture, one fit after the other.  Saves svm_grid.png.
"""
import numpy as np
from sklearn.model_selection import GridSearchCV

import gram

GAMMAS = [0.01, 0.1, 1, 10, 100]
PRICES = [0.1, 1, 10, 100]


def load():
    """Rows and their classes."""
    data = gram.read("builtin:moons")
    label = data.pop("class")
    return np.column_stack(list(data.values())), label


def plot(X, y, model, scores):
    """The error of every cell, and the best machine."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    _, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2))
    shown = left.imshow(1 - scores, cmap="viridis_r")
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
    kernel = f"rbf(gamma=?[{','.join(map(str, GAMMAS))}])"
    chosen = gram.KernelClassifier(kernel, loss="hinge", C=PRICES, scale="none")
    chosen.fit(X, y)
    print(
        f"chosen: {chosen.kernel_}, C = {0.5 / chosen.lam_[0]:g}, "
        f"{100 * chosen.report_.criterion_value:.1f} % errors on folds"
    )
    grid = {"C": PRICES, "gamma": GAMMAS}
    search = GridSearchCV(gram.SVC(), grid, cv=5).fit(X, y)
    print(
        f"GridSearchCV: {search.best_params_}, "
        f"{100 * (1 - search.best_score_):.1f} % errors"
    )
    scores = search.cv_results_["mean_test_score"]
    plot(X, y, search.best_estimator_, scores.reshape(len(PRICES), -1))


if __name__ == "__main__":
    main()

"""bench_splits.py BUILD [WORD...] - Gaussian processes on real data, with the
published splits, beside scikit-learn.

Everything is left to the defaults: rbf(ard), what is open chosen by evidence.
scikit-learn gets standardised rows, normalised targets and the same kernel
with an amplitude and noise.  Root mean squared error and mean log density of
the test rows, averaged over the first SPLITS splits; where a paper has figures
for all splits of a set (MC dropout, Gal and Ghahramani 2016) they stand beside.

The data are not part of gram; without them nothing is done.
"""
import os
import sys
import warnings

from measure import main, timed, verdict

import numpy as np
import pandas
from sklearn.gaussian_process import GaussianProcessRegressor, kernels

from bench_fit import fit, predict, table

SPLITS = 3
DATA = os.path.join(os.path.dirname(__file__), "../../shared/data/regression")

# error and log density of the paper
PUBLISHED = {
    "concrete": (4.82, -2.93),
    "energy": (0.54, -1.21),
    "yacht": (0.67, -1.25),
}
SETS = "yacht energy concrete autompg machine servo stock airfoil".split()


def gram_process(X, y, T):
    machine = fit(table(X, y), kernel="rbf(ard)")
    return predict(machine, table(T), "std")


def peer_process(X, y, T):
    mean, scale = X.mean(0), X.std(0) + (X.std(0) == 0)
    kernel = kernels.ConstantKernel(1.0) * kernels.RBF(
        np.ones(X.shape[1]), (1e-2, 1e3)
    ) + kernels.WhiteKernel(0.1, (1e-6, 10))
    peer = GaussianProcessRegressor(kernel, alpha=0.0, normalize_y=True)
    peer.fit((X - mean) / scale, y)
    return peer.predict((T - mean) / scale, return_std=True)


def density(y, mean, std):
    return (-0.5 * ((y - mean) / std) ** 2 - np.log(std * np.sqrt(2 * np.pi))).mean()


def bench(name):
    cells = pandas.read_csv(f"{DATA}/{name}.csv.gz").to_numpy(float)
    splits = pandas.read_csv(f"{DATA}/{name}.splits.csv.gz").to_numpy()
    figures = {"gram": [], "sklearn": []}
    for test in (splits[:, k] == 1 for k in range(SPLITS)):
        X, y = cells[~test, :-1].copy(), cells[~test, -1].copy()
        T, z = cells[test, :-1].copy(), cells[test, -1]
        for who, process in ("gram", gram_process), ("sklearn", peer_process):
            seconds, (mean, std) = timed(lambda: process(X, y, T))
            rmse = np.sqrt(((mean - z) ** 2).mean())
            figures[who].append((seconds, rmse, density(z, mean, std)))
    means = {who: np.mean(rows, 0) for who, rows in figures.items()}
    for who, (seconds, rmse, log) in means.items():
        print(f"  {who:<8} {seconds:7.2f} s   rmse {rmse:.4f}   log density {log:.4f}")
    if name in PUBLISHED:
        print("  published          rmse %.2f     log density %.2f" % PUBLISHED[name])
    (_, rmse, log), (_, peer_rmse, peer_log) = means["gram"], means["sklearn"]
    good = rmse <= 1.005 * peer_rmse and log >= peer_log - 0.01
    if name in PUBLISHED:
        good = good and rmse <= PUBLISHED[name][0] and log >= PUBLISHED[name][1]
    return verdict(good, "as good as the others")


if not os.path.isdir(DATA):
    print("bench_splits.py: no data, nothing done")
    sys.exit(0)
warnings.simplefilter("ignore")
main({f"splits of {name}": lambda name=name: bench(name) for name in SETS})

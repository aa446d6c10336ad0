"""bench_svm.py BUILD [WORD...] - support vector machines, beside LIBSVM.

Both sides are commands that read the same file and write a model; the clock
runs from start to end, reading and writing included.  svm-train gets 2000 MB
for its cache, both stop at a violation of 1e-3.  Beside each time stands the
dual objective in LIBSVM's scale, where larger is better: it must be within
1e-4 of LIBSVM's.

Where LIBSVM would take minutes it does a part of the work, and the rest is
extrapolated and said so.  fashion takes minutes in any case and is done only
if named.  Files of the data sets that are not there are left out.
"""
import gzip
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile

from measure import BUILD, THREADS, main, timed, verdict

import numpy as np

DATA = os.path.join(
    os.path.dirname(__file__), "../../shared/data/classification"
)
HERE = tempfile.TemporaryDirectory(prefix="bench_svm")


def path(name):
    return os.path.join(HERE.name, name)


def run(*words):
    return subprocess.run(
        [str(word) for word in words],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def gram(command, *words):
    return run(f"{BUILD}/gram", command, "--threads", THREADS, *words)


def write(name, X, y):
    with open(path(name), "w") as f:
        for row, label in zip(X, y):
            cells = (f"{j}:{v:.7g}" for j, v in enumerate(row, 1) if v)
            f.write(f"{label:.9g} {' '.join(cells)}\n")
    return path(name)


def unpack(name):
    """The path of the file without .gz, or None: it is not there."""
    packed = os.path.join(DATA, name + ".gz")
    if not os.path.exists(packed):
        print(f"  no {packed}")
        return None
    with gzip.open(packed) as f, open(path(name), "wb") as to:
        shutil.copyfileobj(f, to)
    return path(name)


def dual_of(report, C):
    return C * (report["objective"] - report["gap"])


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def clocked(work):
    """Seconds, what came out, and seconds of all processors, in words."""
    before = processor()
    seconds, result = timed(work)
    return seconds, result, f"processors {processor() - before:.2f} s"


def line(title, seconds, text):
    print(f"  {title:<12} {seconds:8.3f} s   {text}", flush=True)


# ------------------------------------------------------------------- training


def train(data, C, gamma, target, peer=(), ours=("--loss", "hinge")):
    """One machine by each; the dual objective where there is one of it."""
    mine, text, busy = clocked(
        lambda: gram(
            "fit", data, *ours, "-k", f"rbf(gamma={gamma})", "--C", C,
            "--tolerance", 1e-3, "--json", "-o", path("gram.model"),
        )
    )  # fmt: skip
    report = json.loads(text)
    theirs, log, peer_busy = clocked(
        lambda: run(
            "svm-train", "-m", 2000, "-e", 1e-3, "-c", C, "-g", gamma,
            *peer, data, path("libsvm.model"),
        )
    )  # fmt: skip
    best = -sum(float(v) for v in re.findall(r"obj = (\S+),", log))
    support = int(re.findall(r"(?:Total )?nSV = (\d+)", log)[-1])
    dual = dual_of(report, C)
    near = len(report.get("classes") or [0, 1]) > 2 or dual >= best * (1 - 1e-4)
    text = f"objective {dual:.3f}, support {report['support']}"
    line("gram", mine, f"{text}, {busy}")
    text = f"objective {best:.3f}, support {support}"
    line("svm-train", theirs, f"{text}, {peer_busy}")
    return verdict(
        theirs / mine >= target and near and report["converged"],
        f"{theirs / mine:.1f} times faster (>= {target})",
    )


def a9a():
    data = unpack("a9a.train.svm")
    return data is None or train(data, 1, 0.05, 15)


def wave(n, d, noise, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    w = rng.standard_normal((d, 3)) / np.sqrt(d)
    return X, np.sin(X @ w).sum(1) + noise * rng.standard_normal(n)


def dense():
    X, y = wave(20_000, 20, 0.3)
    return train(write("dense.svm", X, np.sign(y)), 10, 0.05, 10)


def fashion():
    if not os.path.exists(f"{DATA}/fashion20k.train.csv.gz"):
        return True
    with gzip.open(f"{DATA}/fashion20k.train.csv.gz", "rt") as f:
        names = f.readline().strip().split(",")
        cells = np.loadtxt(f, delimiter=",")
    at = names.index("label") if "label" in names else len(names) - 1
    X, y = np.delete(cells, at, 1), cells[:, at]
    return train(write("fashion.svm", X / X.max(), y), 10, 0.02, 25)


def regression():
    X, y = wave(15_000, 8, 0.1)
    return train(
        write("regression.svm", X, y), 10, 0.125, 10,
        peer=("-s", 3, "-p", 0.1),
        ours=("--loss", "epsilon_insensitive(epsilon=0.1)"),
    )  # fmt: skip


# ----------------------------------------------------------------------- grid


def grid(n=5000, d=20, target=40):
    """All cells at once, beside some of LIBSVM's."""
    X, y = wave(n, d, 0.3)
    data = write("grid.svm", X, np.sign(y))
    Cs = [2.0**k for k in range(-3, 13, 2)]
    gammas = [2.0**k / d for k in range(-3, 3)]
    mine, text = timed(
        lambda: gram(
            "fit", data, "--loss", "hinge", "--select", "cv", "--folds", 5,
            "--scale", "none",
            "-k", f"rbf(gamma=?[{','.join(map(str, gammas))}])",
            "--C", f"?[{','.join(map(str, Cs))}]",
            "--tolerance", 1e-3, "--json", "-o", path("gram.model"),
        )
    )  # fmt: skip
    report = json.loads(text)
    some = [(C, g) for C in Cs[1::4] for g in gammas[1::3]]
    each, reached = [], []
    for C, gamma in some:
        words = ("-v", 5, "-m", 2000, "-e", 1e-3, "-c", C, "-g", gamma)
        seconds, log = timed(lambda: run("svm-train", *words, data))
        each.append(seconds)
        reached.append(float(re.search(r"Accuracy = (\S+)%", log)[1]))
    theirs = np.mean(each) * len(Cs) * len(gammas)
    line("gram", mine, f"{report['kernel']}, error {report['criterion_value']}")
    line(
        "svm-train -v", theirs,
        f"extrapolated from {len(some)} of {len(Cs) * len(gammas)} cells,"
        f" accuracy up to {max(reached):.2f} %",
    )  # fmt: skip
    return verdict(
        theirs / mine >= target, f"{theirs / mine:.1f} times faster (>= {target})"
    )


# ----------------------------------------------------------------- prediction


def prediction(rows=100_000, part=3000, target=10):
    """Each with a model of its own of a9a."""
    data, test = unpack("a9a.train.svm"), unpack("a9a.test.svm")
    if not data or not test:
        return True
    with open(test) as f:
        lines = f.readlines()
    lines = (lines * (rows // len(lines) + 1))[:rows]
    for name, count in (("many.svm", rows), ("few.svm", part)):
        with open(path(name), "w") as f:
            f.writelines(lines[:count])
    report = json.loads(
        gram(
            "fit", data, "--loss", "hinge", "-k", "rbf(gamma=0.05)", "--C", 1,
            "--json", "-o", path("gram.model"),
        )
    )  # fmt: skip
    mine, _ = timed(
        lambda: gram(
            "predict", path("gram.model"), path("many.svm"), "-o", path("gram.csv")
        )
    )
    run("svm-train", "-m", 2000, "-c", 1, "-g", 0.05, data, path("libsvm.model"))
    theirs, _ = timed(
        lambda: run(
            "svm-predict", path("few.svm"), path("libsvm.model"), path("libsvm.out")
        )
    )
    theirs *= rows / part
    with open(path("gram.csv")) as f:
        ours = [row.split(",")[0].strip('"\n') for row in f.readlines()[1:]]
    with open(path("libsvm.out")) as f:
        other = [row.strip() for row in f]
    differ = sum(float(a) != float(b) for a, b in zip(ours, other))
    truth = [float(row.split()[0]) for row in lines]
    right = np.mean([float(a) == b for a, b in zip(ours, truth)])
    line("gram", mine, f"{report['support']} support vectors, accuracy {right:.4f}")
    line(
        "svm-predict", theirs,
        f"extrapolated from {part} rows, {differ} of them predicted otherwise",
    )  # fmt: skip
    return verdict(
        theirs / mine >= target and differ <= part // 500,
        f"{theirs / mine:.1f} times faster (>= {target})",
    )


if __name__ == "__main__":
    main(
        {
            "a9a, C = 1": a9a,
            "dense, n = 20000, d = 20, C = 10": dense,
            "regression, n = 15000, d = 8": regression,
            "grid, 5 folds x 8 C x 6 gamma, n = 5000, d = 20": grid,
            "prediction of 100000 rows": prediction,
            "fashion, n = 20000, d = 784, ten classes": fashion,
        },
        only_if_named={"fashion, n = 20000, d = 784, ten classes"},
    )

#!/usr/bin/python3
"""cover.py GRAM [NUMBER...] - the command on a covering design.

Every command meets every kind of machine, kernel, way of fitting, budget and
number of rows: in pairs, each with each.  The numbers of rows are just below,
at and above the limits of src/base/limits.def, lowered; GRAM must have been
built with -DGRAM_LOW_LIMITS, and with sanitizers to see all there is to see.
A case is one to three runs in a folder of its own.  What no user should see is
a fault: signals, sanitizers' reports, exit codes outside 0 to 3, errors that
are not one line, JSON that does not parse, predictions that are not finite or
of another number than the rows.

Prints the commands of each case that failed; the last line is "N passed, N
failed".  With numbers: these cases alone, and their folders are kept.
"""
import concurrent.futures
import csv
import gzip
import json
import math
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from pairs import pairwise

HERE = os.path.dirname(os.path.abspath(__file__))
LIMITS = os.path.join(HERE, "..", "..", "src", "base", "limits.def")
SECONDS = 60  # of one run, at most

# ------------------------------------------------------------------- factors


def row_counts():
    """Below, at and above the lowered limits that count rows."""
    limit = re.compile(r"LIMIT\(([A-Z]\w*),\s*[^,]+,\s*(\d+),")
    with open(LIMITS) as f:
        found = limit.findall(f.read())
    at = {int(low) for name, low in found if name.split("_")[-1] == "ROWS"}
    return sorted({n + more for n in at if n >= 16 for more in (-1, 0, 1)} |
                  {1, 2, 3, 4, 130})


# kind: what the target and the columns are, and the options of a fit
KINDS = {
    "number": ("number", ["-t", "y"]),
    "weights": ("weights", ["-t", "y", "--weights", "w"]),
    "noise": ("weights", ["-t", "y", "--noise", "w"]),
    "targets": ("targets", ["-t", "y", "-t", "z"]),
    "categories": ("mixed", ["-t", "y"]),
    "one column": ("one", ["-t", "y"]),
    "two": ("two", ["-t", "y"]),
    "many": ("many", ["-t", "y"]),
    "squared, two": ("two", ["-t", "y", "--loss", "squared"]),
    "hinge": ("two", ["-t", "y", "--loss", "hinge"]),
    "hinge, many": ("many", ["-t", "y", "--loss", "hinge"]),
    "squared_hinge": ("two", ["-t", "y", "--loss", "squared_hinge"]),
    "softmax": ("many", ["-t", "y", "--loss", "softmax"]),
    "huber": ("number", ["-t", "y", "--loss", "huber(delta=1)"]),
    "quantile": ("mixed", ["-t", "y", "--loss", "quantile(tau=0.8)"]),
    "absolute": ("weights", ["-t", "y", "--weights", "w",
                             "--loss", "absolute"]),
    "tube": ("one", ["-t", "y", "--loss", "epsilon_insensitive(epsilon=0.1)"]),
    "poisson": ("count", ["-t", "y", "--loss", "poisson"]),
    "one_class": ("number", ["--loss", "one_class(nu=0.2)"]),
    "one_class, y": ("one", ["-t", "y", "--loss", "one_class(nu=0.2)"]),
    "sparse": ("sparse", []),
    "sparse, number": ("sparse number", ["--loss", "squared"]),
}

KERNELS = [[], ["-k", "rbf(gamma=0.3)"], ["-k", "rbf(ard)"], ["-k", "linear"],
           ["-k", "poly(degree=2)"], ["-k", "matern(nu=1.5)"],
           ["-k", "?*rbf + linear"], ["-k", "exponential(gamma=1)"]]

# ways to fit: with the squared loss, others, and without a lambda
FIXED = ["--lambda", "0.5"]
CV = ["--select", "cv", "--folds", "3"]
WAYS = {
    "default": ([], [], []),
    "fixed": (FIXED, FIXED, []),
    "cv": (CV, CV, CV),
    "tries": (CV + ["--tries", "2"], CV + ["--tries", "2"], CV),
    "minmax": (["--scale", "minmax"],) * 3,
    "single": (FIXED + ["--precision", "single"],
               FIXED + ["--precision", "single"], ["--precision", "single"]),
    "no intercept": (FIXED + ["--no-intercept"], FIXED + ["--no-intercept"],
                     []),
    "keep": (FIXED + ["--keep-factor"], FIXED, []),
    "loo": (["--select", "loo"], FIXED + ["--proba"], []),
    "gcv": (["--select", "gcv"], CV + ["--proba"], []),
    "evidence": (["--select", "evidence"], [], []),
    "cg": (FIXED + ["--solver", "cg"], FIXED + ["--solver", "gd"], []),
    "zero": (["--lambda", "0"], ["--lambda", "1e-4"], []),
}

MEMORY = [[], ["--mem", "2M"], ["--mem", "1M"], ["--mem", "300K"]]

# after a fit: of its model and the data
WITH_MODEL = {
    "predict": ["predict", "MODEL", "DATA", "-o", "p.csv"],
    "predict.gz": ["predict", "MODEL", "DATA", "--keep", "x0", "-o",
                   "p.csv.gz"],
    "std": ["predict", "MODEL", "DATA", "--std", "-o", "p.csv"],
    "interval": ["predict", "MODEL", "DATA", "--interval", "0.9", "-o",
                 "p.csv"],
    "jackknife": ["predict", "MODEL", "DATA", "--interval", "0.8",
                  "--method", "jackknife", "-o", "p.csv"],
    "proba": ["predict", "MODEL", "DATA", "--proba", "-o", "p.csv"],
    "decision": ["predict", "MODEL", "DATA", "--decision", "-o", "p.csv"],
    "terms": ["predict", "MODEL", "DATA", "--terms", "-o", "p.csv"],
    "why": ["predict", "MODEL", "DATA", "--why", "3", "-o", "p.csv"],
    "plot": ["predict", "MODEL", "DATA", "--plot"],
    "score": ["score", "MODEL", "DATA", "--json"],
    "info": ["info", "MODEL", "--json"],
    "add": ["update", "MODEL", "DATA", "-o", "u.gram"],
    "remove": ["update", "MODEL", "--remove", "1", "-o", "u.gram"],
    "sample": ["sample", "MODEL", "DATA", "-n", "3", "-o", "p.csv"],
    "norm": ["norm", "MODEL", "--json"],
    "to LIBSVM": ["convert", "MODEL", "m.model"],
}

# of the data and the options of a fit
OF_FIT = {
    "plan": ["plan", "DATA", "FIT", "--json"],
    "fit": ["fit", "DATA", "FIT", "--json"],
    "cv": ["cv", "DATA", "FIT", "--folds", "3", "--json"],
    "cv grid": ["cv", "DATA", "KIND", "-k", "rbf(gamma=?[0.3,1])", "--lambda",
                "?[0.1,1]", "--grid", "--folds", "3", "--json"],
    "path": ["path", "DATA", "FIT", "--json"],
    "compare": ["compare", "DATA", "KIND", "-k", "linear", "-k",
                "rbf(gamma=1)", "--folds", "3", "--json"],
}

# of the data alone
OF_DATA = {
    "test": ["test", "DATA", "OTHER", "--json"],
    "aggregate": ["test", "DATA", "OTHER", "--aggregate", "-p", "99"],
    "exact": ["test", "DATA", "OTHER", "--exact", "-p", "199", "--witness",
              "p.csv"],
    "spectral": ["test", "DATA", "OTHER", "--method", "spectral"],
    "wild": ["test", "DATA", "OTHER", "--method", "wild", "-p", "99"],
    "block": ["test", "DATA", "OTHER", "--statistic", "block", "--json"],
    "split": ["test", "DATA", "OTHER", "--split", "0.5", "-p", "99"],
    "stream": ["test", "DATA", "-", "--batch", "20", "-p", "99"],
    "independence": ["test", "DATA", "--independence", "--x", "x0", "--y",
                     "y", "-p", "99"],
    "herd": ["herd", "DATA", "-m", "5", "--json"],
    "matrix": ["matrix", "rbf(gamma=1)", "DATA", "OTHER", "-o", "K.npy"],
    "single": ["matrix", "poly(degree=2)", "DATA", "-o", "K.npy", "--single"],
    "check": ["check", "rbf(gamma=1)", "DATA", "--json"],
    "features": ["features", "poly(degree=2)", "DATA", "-o", "F.npy"],
    "prior": ["sample", "-k", "matern(length=1)", "DATA", "-n", "2", "-o",
              "p.csv"],
    "describe": ["describe", "DATA", "--json"],
    "convert": ["convert", "DATA", "d.csv.gz"],
}

FACTORS = {
    "command": list(WITH_MODEL) + list(OF_FIT) + list(OF_DATA),
    "kind": list(KINDS),
    "rows": row_counts(),
    "kernel": KERNELS,
    "way": list(WAYS),
    "memory": MEMORY,
    "width": [2, 3, 5],
    "threads": [1, 2],
    "format": ["csv", "csv.gz", "tsv"],
}

# ---------------------------------------------------------------------- data


def write_sparse(f, g, rows, kind, width):
    """LIBSVM's format; about 64 columns, some of them empty."""
    for _ in range(rows):
        index = sorted(g.sample(range(1, 61 + width), 6))
        value = [g.random() for _ in index]
        y = sum(value) - 3
        y = f"{y:.4g}" if kind == "sparse number" else "1" if y > 0 else "-1"
        f.write(y + "".join(f" {i}:{v:.4g}" for i, v in zip(index, value)) +
                "\n")


def write_dense(f, g, rows, kind, width, separator):
    """A header, then rows whose target is smooth in the columns."""
    d = 1 if kind == "one" else width
    words = ["Oslo", "Bergen", "Roma, Lazio", "Lyon"]
    f = csv.writer(f, delimiter=separator, lineterminator="\n")
    f.writerow([f"x{j}" for j in range(d)] + ["city"] * (kind == "mixed") +
               ["w"] * (kind == "weights") + ["y"] +
               ["z"] * (kind == "targets"))
    for i in range(rows):
        x = [round(g.gauss(0, 1), 5) for _ in range(d)]
        s = math.sin(2 * x[0]) + x[-1]**2 / 2 + g.gauss(0, 0.2)
        y = {"two": "yes" if s > 0.4 else "no",
             "many": "abcde"[min(4, max(0, int(s + 2)))],
             "count": max(0, int(s + 1))}.get(kind, round(s, 5))
        f.writerow(x + [g.choice(words)] * (kind == "mixed") +
                   [round(g.random() + 0.1, 3)] * (kind == "weights") + [y] +
                   [round(x[0] - s, 5)] * (kind == "targets"))


def write_data(folder, name, case, seed):
    """A file of the case's kind; its name."""
    kind, form = KINDS[case["kind"]][0], case["format"]
    form = "csv" if case["command"] == "stream" else form
    g = random.Random(seed * 1000 + case["rows"])
    form = "svm" if kind.startswith("sparse") else form
    name = f"{name}.{form}"
    opened = gzip.open if form.endswith("gz") else open
    with opened(os.path.join(folder, name), "wt", newline="") as f:
        if form == "svm":
            write_sparse(f, g, case["rows"], kind, case["width"])
        else:
            write_dense(f, g, case["rows"], kind, case["width"],
                        "\t" if form == "tsv" else ",")
    return name


# --------------------------------------------------------------------- cases


def way_of(case):
    """The options of its way to fit, as its loss has them."""
    options = KINDS[case["kind"]][1]
    loss = options[options.index("--loss") + 1] if "--loss" in options else \
        "logistic" if case["kind"] in ("two", "many", "sparse") else "squared"
    which = 0 if loss == "squared" else 2 if "one_class" in loss else 1
    return WAYS[case["way"]][which]


def steps_of(case):
    """The runs of a case: lists of arguments, with names still to be put in."""
    command = case["command"]
    kind = KINDS[case["kind"]][1]
    fit = kind + case["kernel"] + way_of(case)
    run = ["--threads", str(case["threads"])] + case["memory"]
    steps = []
    if command in WITH_MODEL:
        steps.append(["fit", "DATA"] + fit + ["-q", "-o", "MODEL"])
        steps.append(WITH_MODEL[command])
    elif command in OF_FIT:
        steps.append(OF_FIT[command])
    else:
        steps.append(OF_DATA[command])
    whole = {"FIT": fit, "KIND": kind}
    return [[a for word in step for a in whole.get(word, [word])] + run
            for step in steps]


def own_cases():
    """What a design would meet by chance only."""
    novelty = ["fit", "builtin:sinc", "--loss", "one_class(nu=0.1)", "-q",
               "-o", "MODEL"]
    return [
        [novelty, ["predict", "MODEL", "builtin:sinc", "--plot"]],
        [["test", "builtin:iris", "--by", "species", "--json"]],
        [["fit", "builtin:co2", "-q"]],
        [["fit", "builtin:sparse", "-q", "-o", "MODEL"],
         ["predict", "MODEL", "builtin:sparse", "-o", "p.csv"]],
        [["fit", "builtin:mixed", "-k", "rbf(gamma=1)", "-q", "--proba", "-o",
          "MODEL"], ["predict", "MODEL", "builtin:mixed", "-o", "p.csv"]],
        [["demo"]],
    ]


# ----------------------------------------------------------------- judgement


def bad_predictions(path, rows):
    """What is wrong with a table of predictions; None: nothing."""
    opened = gzip.open if path.endswith("gz") else open
    with opened(path, "rt", newline="") as f:
        table = list(csv.reader(f))[1:]
    if rows is not None and len(table) != rows:
        return f"{len(table)} predictions of {rows} rows"
    bad = sum(cell.strip().lower() in ("nan", "-nan", "inf", "-inf")
              for row in table for cell in row)
    return f"{bad} predictions that are not finite" if bad else None


def fault_of(r, step, folder, rows):
    """What is wrong with a run that has ended; None: nothing."""
    err = r.stderr.decode(errors="replace").strip()
    if "Sanitizer" in err or "runtime error:" in err:
        return err
    if r.returncode < 0 or r.returncode >= 124:
        return f"signal, exit {r.returncode}: {err[-200:]}"
    if r.returncode not in (0, 1, 2, 3):
        return f"exit {r.returncode}: {err[:200]}"
    lines = [a for a in err.splitlines() if "warning:" not in a and
             "note:" not in a]
    if r.returncode == 1 and len(lines) != 1:
        return f"an error of {len(lines)} lines: {err[:200]!r}"
    if r.returncode in (0, 3) and "--json" in step:
        try:
            json.loads(r.stdout)
        except ValueError as e:
            return f"JSON: {e}"
    if r.returncode == 0 and step[0] == "predict" and "-o" in step:
        path = os.path.join(folder, step[step.index("-o") + 1])
        return bad_predictions(path, rows)
    return None


def run_case(gram, case, steps, folder):
    """Its fault, or None; and whether all of it was done, none refused."""
    rows = case and case["rows"]
    names = {"MODEL": "m.gram"}
    if case:
        names["DATA"] = write_data(folder, "a", case, 1)
        names["OTHER"] = write_data(folder, "b", case, 2)
    env = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1",
               UBSAN_OPTIONS="print_stacktrace=1", LC_ALL="C.UTF-8")
    shown = []
    for step in steps:
        step = [names.get(word, word) for word in step]
        shown.append(shlex.join(["gram"] + step))
        stdin = open(os.path.join(folder, names["OTHER"]), "rb") \
            if "-" in step else subprocess.DEVNULL
        try:
            r = subprocess.run([gram] + step, capture_output=True, stdin=stdin,
                               timeout=SECONDS, cwd=folder, env=env)
        except subprocess.TimeoutExpired:
            return shown, f"no answer in {SECONDS} s", False
        fault = fault_of(r, step, folder, rows)
        if fault or r.returncode in (1, 2):
            return shown, fault, False
    return shown, None, True


def main():
    gram = os.path.abspath(sys.argv[1])
    wanted = {int(a) for a in sys.argv[2:]}
    cases = [(None, steps) for steps in own_cases()]
    cases += [(case, steps_of(case)) for case in pairwise(FACTORS)]
    passed = failed = done = 0

    def work(number):
        case, steps = cases[number]
        folder = tempfile.mkdtemp(prefix=f"cover-{number}-")
        result = run_case(gram, case, steps, folder)
        if wanted:
            print(f"case {number}: {folder}")
        else:
            shutil.rmtree(folder)
        return result

    numbers = sorted(wanted) or range(len(cases))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (shown, fault, whole) in zip(numbers,
                                                 pool.map(work, numbers)):
            passed += not fault
            failed += bool(fault)
            done += whole
            if fault or wanted:
                print(f"FAIL case {number}:" if fault else f"case {number}:")
                print("".join(f"    {line}\n" for line in shown) +
                      f"    {fault}", flush=True)
    print(f"{passed + failed - done} cases were refused, with a sentence")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

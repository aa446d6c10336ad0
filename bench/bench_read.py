"""bench_read.py BUILD - reading, beside pandas and scikit-learn.

Every read happens in a fresh process that times the call itself; the two
sides take turns, and the best of three counts.  The whole process, with
loading Python's packages on the peer's side, is timed too.  The numbers both
sides got are compared: speed without the right answer does not count.

    bench_read.py peer KIND FILE         one read by the peer
    bench_read.py compare KIND FILE DUMP greatest difference of the numbers
"""
import json
import os
import subprocess
import sys
import time

RUNS = 3
SEED = 1

# kind: name, peer, speed-up to reach, memory to stay below (times the table)
WORK = {
    "csv": ("CSV 1,000,000 x 20", "pandas.read_csv", 3, 1.5),
    "libsvm": ("LIBSVM 50,000 x 100 of 10,000", "load_svmlight_file", 10, None),
}


def write_csv(path):
    import numpy
    import pandas

    numbers = numpy.random.default_rng(SEED).standard_normal((1_000_000, 20))
    names = [f"x{j}" for j in range(20)]
    pandas.DataFrame(numbers, columns=names).to_csv(path, index=False)


def write_libsvm(path):
    import numpy

    draw = numpy.random.default_rng(SEED)
    with open(path, "w", encoding="ascii") as out:
        for _ in range(50_000):
            index = numpy.sort(draw.choice(10_000, 100, replace=False)) + 1
            pairs = zip(index.tolist(), draw.standard_normal(100).tolist())
            cells = " ".join(f"{j}:{x!r}" for j, x in pairs)
            print("+1" if draw.random() < 0.5 else "-1", cells, file=out)


def read_peer(kind, path, exact=False):
    """The peer's answer and the seconds of the call itself."""
    if kind == "csv":
        import pandas

        options = {"float_precision": "round_trip"} if exact else {}
        start = time.perf_counter()
        answer = pandas.read_csv(path, **options)
    else:
        from sklearn.datasets import load_svmlight_file

        start = time.perf_counter()
        answer = load_svmlight_file(path)
    return answer, time.perf_counter() - start


def peak_bytes():
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 0


def compare(kind, path, dump):
    """The greatest difference between our numbers and the exact ones."""
    import numpy

    answer, _ = read_peer(kind, path, exact=True)
    if kind == "csv":
        ours = numpy.fromfile(dump).reshape(answer.shape[1], -1).T
        return float(abs(ours - answer.to_numpy()).max())
    matrix, label = answer
    rows, entries = matrix.shape[0], matrix.nnz
    with open(dump, "rb") as f:
        ours = numpy.fromfile(f, numpy.float64, rows)
        start = numpy.fromfile(f, numpy.uint64, rows + 1)
        index = numpy.fromfile(f, numpy.uint32, entries)
        values = numpy.fromfile(f, numpy.float64, entries)
    if (start != matrix.indptr).any() or (index != matrix.indices).any():
        return float("inf")
    return float(max(abs(values - matrix.data).max(), abs(ours - label).max()))


def timed(command):
    """What the process printed, and its whole time."""
    start = time.perf_counter()
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    result = json.loads(out)
    result["whole"] = time.perf_counter() - start
    return result


def bench(build, kind):
    name, peer_name, target, memory = WORK[kind]
    path = f"{build}/bench/numbers.{kind}"
    dump = f"{path}.dump"
    me = [sys.executable, __file__]
    ours_command = [f"{build}/bench/bench_read", path]
    if not os.path.exists(path):
        subprocess.run(me + ["write", kind, path + ".part"], check=True)
        os.rename(path + ".part", path)
    ours, peers = [], []
    for _ in range(RUNS):
        ours.append(timed(ours_command))
        peers.append(timed(me + ["peer", kind, path]))
    timed(ours_command + [dump])
    error = timed(me + ["compare", kind, path, dump])["error"]
    os.remove(dump)

    def best(runs, key):
        return min(run[key] for run in runs)

    table = ours[0]["table"]
    ratio = best(peers, "seconds") / best(ours, "seconds")
    space = max(run["peak"] for run in ours) / table
    good = ratio >= target and error == 0 and (not memory or space <= memory)
    limit = f" (<= {memory:g})" if memory else ""
    print(f"{name}, {os.path.getsize(path) / 1e6:.0f} MB, against {peer_name}")
    for title, runs in (("gram", ours), ("peer", peers)):
        print(
            f"  {title}  read {best(runs, 'seconds'):7.3f} s"
            f"   process {best(runs, 'whole'):7.3f} s"
            f"   peak {best(runs, 'peak') / 1e6:6.0f} MB"
        )
    print(
        f"  {ratio:.1f} times faster (>= {target}),"
        f" peak / table {space:.2f}{limit}, error {error:g}:"
        f" {'good' if good else 'MISSED'}"
    )
    return good


def main():
    what, *rest = sys.argv[1:]
    if what == "write":
        {"csv": write_csv, "libsvm": write_libsvm}[rest[0]](rest[1])
    elif what == "peer":
        _, seconds = read_peer(*rest)
        print(json.dumps({"seconds": seconds, "peak": peak_bytes()}))
    elif what == "compare":
        print(json.dumps({"error": compare(*rest)}))
    elif not all([bench(what, kind) for kind in WORK]):
        sys.exit(1)


main()

"""data.py - the files that nets read: small tables from a fixed generator.

DATA maps their names to their bytes.  NAME2.csv has further rows of NAME.csv.
"""
import csv
import io
import math
import random
import struct
import zipfile

TABLES = {
    "num": "a b c y", "roles": "a b w v site part y z", "city": "a b city y",
    "two": "a b c two", "many": "a b many", "count": "a b count",
    "positive": "p q r y", "line": "x y", "gaps": "a hole kind y",
    "plain": "a b c", "chance": "x two", "text": "day kind note a y",
}


def row_of(g, i):
    """One row: every column that some table has, by its name."""
    a, b, c = (round(g.gauss(0, 1), 4) for _ in range(3))
    x = round(5 * g.random(), 3)
    city = g.choice(["Oslo", "Bergen", "Roma, Lazio", "Lyon"])
    s = math.sin(2 * a) + b * b / 2 + math.cos(x) + g.gauss(0, 0.2)
    return {
        "a": a, "b": b, "c": c, "x": x, "city": city,
        "p": round(abs(a), 4), "q": round(b * b, 4), "r": g.randrange(4),
        "w": round(g.random() + 0.1, 3), "v": round(g.random() / 2 + 0.1, 3),
        "site": f"s{i % 12}", "part": i % 4,
        "y": round(s + len(city) / 10, 4), "z": round(a - s, 4),
        "two": "yes" if s > 0.4 else "no",
        "many": "abcd"[min(3, max(0, int(s + 1.5)))],
        "count": max(0, int(s + 1)),
        "hole": "" if g.random() < 0.1 else round(a + c, 4),
        "kind": "" if g.random() < 0.05 else g.choice(["old", "new", "used"]),
        "note": f"flat {i}, " + g.choice(["quiet", "near the park", "sunny"]),
        "day": f"20{10 + i % 9}-0{1 + i % 7}-1{i % 10}",
    }


def table(names, rows, seed):
    """CSV text."""
    g = random.Random(seed)
    f = io.StringIO()
    out = csv.DictWriter(f, names.split(), extrasaction="ignore",
                         lineterminator="\n")
    out.writeheader()
    out.writerows(row_of(g, i) for i in range(rows))
    return f.getvalue()


def sparse(rows, seed, classes):
    """LIBSVM's text: six of fifty columns."""
    g = random.Random(seed)
    lines = []
    for _ in range(rows):
        at = sorted(g.sample(range(1, 51), 6))
        value = [round(g.random(), 3) for _ in at]
        y = sum(v * math.cos(i) for i, v in zip(at, value))
        y = (1 if y > 0 else -1) if classes else round(y, 4)
        lines.append(f"{y} " + " ".join(f"{i}:{v}" for i, v in zip(at, value)))
    return "\n".join(lines) + "\n"


def kernel_rows(rows):
    """LIBSVM's text of a precomputed kernel: linear, with 30 rows."""
    x = [[random.Random(i + 1000 * j).gauss(0, 1) for j in (0, 1)]
         for i in range(rows)]
    return "".join(
        f"{1 if p[0] > p[1] else -1} 0:{i} " + " ".join(
            f"{j}:{p[0] * q[0] + p[1] * q[1]:.4g}"
            for j, q in enumerate(x[:30], 1)) + "\n"
        for i, p in enumerate(x, 1))


def array(form, code, values, shape):
    """The bytes of an .npy file; `code` is what struct calls its numbers."""
    head = f"{{'descr': '{form}', 'fortran_order': False, 'shape': {shape}, }}"
    head = head.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + \
        head.encode() + struct.pack("<" + code * len(values), *values)


def sparse_arrays():
    """The bytes of an .npz file with a sparse matrix as SciPy writes it."""
    arrays = {
        "indices": array("<i4", "i", [i * 7 % 9 for i in range(60)], "(60,)"),
        "indptr": array("<i8", "q", range(0, 61, 3), "(21,)"),
        "format": array("|S3", "3s", [b"csr"], "()"),
        "shape": array("<i8", "q", [20, 9], "(2,)"),
        "data": array("<f4", "f", [i / 8 for i in range(60)], "(60,)")}
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in arrays.items():
            z.writestr(zipfile.ZipInfo(f"{name}.npy"), content)
    return f.getvalue()


def make_data():
    data = {f"{name}.csv": table(names, 150, 1)
            for name, names in TABLES.items()}
    data.update({f"{name}2.csv": table(names, 40, 2)
                 for name, names in TABLES.items()})
    data["large.csv"] = table("a b c x y", 760, 3)
    for name, classes in (("two", True), ("num", False)):
        data[f"{name}.svm"] = sparse(150, 1, classes)
        data[f"{name}2.svm"] = sparse(40, 2, classes)
    data["kernel.svm"], data["kernel2.svm"] = kernel_rows(30), kernel_rows(40)
    data["A.csv"] = "m,n,o\n2,0.5,0\n0.5,1,0\n0,0,1\n"
    data["far.csv"] = ("a,b,c,city\n1e9,0,0,Paris\n1e160,1,2,Lyon\n"
                       "-50,1e-9,3,Oslo\n")
    data["semi.csv"] = "a;b;at\n1,5;x;2020-01-02 10:20\n2,5;y;2021-03-04\n"
    data["rows.arff"] = ("@relation r\n@attribute 'a b' numeric\n"
                         "@attribute k {u,'v w'}\n"
                         "@data\n1.5,u\n?,'v w'\n-2,u\n")
    data = {name: text.encode() for name, text in data.items()}
    data["whole.npy"] = array("<i4", "i", range(60), "(20, 3)")
    data["sparse.npz"] = sparse_arrays()
    return data


DATA = make_data()

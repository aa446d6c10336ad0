"""data.py - the files that nets read: small tables from a fixed generator.

DATA maps their names to their text.  NAME2.csv has further rows of NAME.csv.
"""
import csv
import io
import math
import random

TABLES = {
    "num": "a b c y", "roles": "a b w v site part y z", "city": "a b city y",
    "two": "a b c two", "many": "a b many", "count": "a b count",
    "positive": "p q r y", "line": "x y", "gaps": "a hole kind y",
    "plain": "a b c", "text": "day kind note a y",
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


def make_data():
    data = {f"{name}.csv": table(names, 150, 1)
            for name, names in TABLES.items()}
    data.update({f"{name}2.csv": table(names, 40, 2)
                 for name, names in TABLES.items()})
    data["large.csv"] = table("a b c x y", 700, 3)
    data["two.svm"] = sparse(150, 1, True)
    data["two2.svm"] = sparse(40, 2, True)
    data["num.svm"] = sparse(150, 3, False)
    data["num2.svm"] = sparse(40, 4, False)
    data["A.csv"] = "m,n,o\n2,0.5,0\n0.5,1,0\n0,0,1\n"  # for metric
    data["rows.arff"] = ("@relation r\n@attribute a numeric\n"
                         "@attribute k {u,v}\n@data\n1.5,u\n?,v\n-2,u\n")
    data["semi.csv"] = "a;b;when\n1,5;x;2020-01-02\n2,5;y;2021-03-04\n"
    return data


DATA = make_data()

"""pairs.py - pairwise designs: few rows in which any two values of different
factors meet at least once.

Greedy, as AETG is (Cohen et al., 1997): a row begins with a pair that has not
been met, and each other factor takes the value that meets most new ones.  The
number of rows is near the product of the two largest factors.
"""
import itertools
import random


def pairwise(factors, seed=0):
    """Rows, dicts from the name of a factor to one of its values."""
    g = random.Random(seed)
    names = sorted(factors, key=lambda name: -len(factors[name]))
    left = {
        ((a, i), (b, j))
        for a, b in itertools.combinations(names, 2)
        for i in range(len(factors[a]))
        for j in range(len(factors[b]))
    }
    order = sorted(left)
    g.shuffle(order)

    def ordered(a, b):
        return (a, b) if names.index(a[0]) < names.index(b[0]) else (b, a)

    rows = []
    for first in order:
        if first not in left:
            continue
        row = dict(first)
        for name in g.sample(names, len(names)):
            if name in row:
                continue
            values = g.sample(range(len(factors[name])), len(factors[name]))
            row[name] = max(values, key=lambda i: sum(
                ordered((name, i), other) in left for other in row.items()))
        left.difference_update(
            ordered(a, b) for a, b in itertools.combinations(row.items(), 2))
        rows.append({name: factors[name][row[name]] for name in sorted(row)})
    return rows

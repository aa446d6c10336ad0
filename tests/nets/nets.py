#!/usr/bin/python3
"""nets.py - do two builds of the command give the same answers, bit for bit?

    nets.py record GRAM FOLDER     run every net, write what it gave
    nets.py compare FOLDER OTHER   what differs between two recordings
    nets.py check GRAM FOLDER      compare FOLDER with a new recording, which
                                   is thrown away

A net is one or several runs of the program in an empty folder, listed in the
file `commands`.  It is run on one thread and on two, with every CPU table that
the machine has.  Recorded are exit codes, output (JSON without what was timed
or measured), messages, and the files written: lines of text, or size and
SHA-256.  Bits depend on the machine and its BLAS, so a recording is compared
with others of the same machine only, and is never committed.

A net fails in a recording if one thread and two do not agree, if tables differ
that are promised to agree, or if a run ends by a signal or with another exit
code than 0 (in the group "error": if none does).  It fails in a comparison if
something differs that the file `permitted` does not list.  The last line is "N
passed, N failed", and the status 1 if something failed.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading

from data import DATA

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = ["generic", "avx2", "avx512"]
THREADS = [1, 2]
SECONDS = 60  # of one run, at most
SHOWN = 8  # kinds of differences of one net that are printed

# What is timed or measured and so not recorded: keys of JSON, except that a
# plan's seconds come from fixed rates; and parts of texts.
MEASURED = {"seconds", "read_seconds", "write_seconds", "explain_seconds",
            "peak_bytes", "version"}
MEASURED_TEXT = re.compile(
    r"[\d.]+(?:e-\d+)? (?:ms|s|min|h)\b|at most [\d.]+ [KMG]?i?B")

# What depends on the number of threads: plans, as every thread has buffers.
OF_THREADS = re.compile(
    r".*(\.plan_bytes|:plan\.out\.(bytes|seconds|others.*))")
SIZE = re.compile(r"[\d.]+ [KMG]iB")

# --------------------------------------------------------------------- nets


def read_nets():
    """{name: (lists of words, must CPU tables agree?)}, from `commands`."""
    nets, group, template = {}, None, None
    with open(os.path.join(HERE, "commands")) as f:
        for line in f.read().splitlines():
            words = line.strip()
            if not words or words.startswith("#"):
                continue
            if not line.startswith(" "):
                group, template = words.split(": ", 1)
                continue
            name = f"{group.rstrip('=')}: {words}"
            if name in nets:
                sys.exit(f"nets.py: commands: \"{name}\" is there twice")
            steps = template.replace("@", words).split(" ; ")
            nets[name] = ([shlex.split(step) for step in steps],
                          group.endswith("="))
    return nets


def recording_of(folder, name):
    """The file of a net's recording."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:60]
    mark = hashlib.sha256(name.encode()).hexdigest()[:8]
    return os.path.join(folder, f"{slug}-{mark}.json")


# ---------------------------------------------------------------------- runs


def without(value, keys):
    """JSON without some keys."""
    if isinstance(value, dict):
        return {k: without(v, keys) for k, v in value.items() if k not in keys}
    if isinstance(value, list):
        return [without(v, keys) for v in value]
    return value


def lines_of(text):
    return [MEASURED_TEXT.sub("#", line)
            for line in text.decode().splitlines()]


def output_of(command, text):
    """Standard output: JSON if it is that, else lines."""
    try:
        return without(json.loads(text), MEASURED - {"seconds"}
                       if command == "plan" else MEASURED)
    except ValueError:
        return lines_of(text)


def content_of(path):
    """A file: its lines if it is text, else its size and SHA-256."""
    with open(path, "rb") as f:
        content = f.read()
    try:
        return content.decode().splitlines()
    except UnicodeDecodeError:
        return {"size": len(content),
                "sha256": hashlib.sha256(content).hexdigest()}


def run_step(gram, step, folder, env):
    """Exit code, output and messages of one run."""
    piped = b""
    if "<" in step:
        piped, step = DATA[step[-1]], step[:-2]
    if step[0].startswith("svm-"):
        words = [os.path.join(os.path.dirname(gram), step[0])] + step[1:]
    elif step[0] == "text":
        words = [gram] + step[1:]
    else:
        words = [gram] + step + ["--json"]
    try:
        r = subprocess.run(words, input=piped, capture_output=True, cwd=folder,
                           env=env, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {"exit": -1, "out": [], "err": [f"no answer in {SECONDS} s"]}
    return {"exit": r.returncode, "out": output_of(step[0], r.stdout),
            "err": lines_of(r.stderr)}


def run_net(gram, steps, table, cores):
    """{"1:fit": what it gave, ...} of a net, with one thread for each core."""
    os.sched_setaffinity(0, cores)  # of this thread and what it starts
    env = dict(os.environ, GRAM_CPU=table, OMP_WAIT_POLICY="passive",
               LC_ALL="C.UTF-8")
    seen, given = {}, {}
    with tempfile.TemporaryDirectory(prefix="net-") as folder:
        for name, content in DATA.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(content)
        for number, step in enumerate(steps, 1):
            result = run_step(gram, step, folder, env)
            files = {name: content_of(os.path.join(folder, name))
                     for name in sorted(os.listdir(folder))
                     if name not in DATA}
            result["file"] = {name: content for name, content in files.items()
                              if seen.get(name) != content}
            seen.update(files)
            command = step[1] if step[0] == "text" else step[0]
            given[f"{number}:{command}"] = result
    return given


def tables_of(gram):
    """The CPU tables that this machine has."""
    def chosen(table):
        r = subprocess.run([gram, "doctor", "--json"], capture_output=True,
                           env=dict(os.environ, GRAM_CPU=table), check=True)
        return json.loads(r.stdout)["cpu_table"]
    return [table for table in TABLES if chosen(table) == table]


# --------------------------------------------------------------- differences


def leaves(value, path=""):
    """(path, value) of all that is no list and no object, or is empty."""
    inner = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else ()
    if not inner or not value:
        yield path, value
    for key, v in inner:
        yield from leaves(v, f"{path}.{key}" if path else str(key))


def differences(old, new):
    """[(path, old value, new value)]; "-" is what is not there."""
    old, new = dict(leaves(old)), dict(leaves(new))
    return [(path, old.get(path, "-"), new.get(path, "-"))
            for path in list(old) + [p for p in new if p not in old]
            if old.get(path, "-") != new.get(path, "-")]


NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def distance(old, new):
    """The largest relative difference of two texts' numbers; None if other
    things differ."""
    old, new = str(old), str(new)
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return None
    pairs = [(float(a), float(b)) for a, b in zip(NUMBER.findall(old),
                                                  NUMBER.findall(new))]
    return max((abs(a - b) / max(abs(a), abs(b)) for a, b in pairs if a != b),
               default=None)


def shorter(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:97] + "..."


def sentences(found):
    """A line for each kind of path in [(path, old, new)]: its first, how many
    there are, how far their numbers are apart."""
    kinds, lines = {}, []
    for path, old, new in found:
        kinds.setdefault(re.sub(r"\.\d+(?=\.|$)", "", path),
                         []).append((path, old, new))
    for alike in list(kinds.values())[:SHOWN]:
        path, old, new = alike[0]
        far = [distance(old, new) for _, old, new in alike]
        lines.append(
            f"{path}: {shorter(old)} -> {shorter(new)}" +
            (f", and {len(alike) - 1} more" if len(alike) > 1 else "") +
            (f", by at most {max(far):.1e}" if None not in far else ""))
    if len(kinds) > SHOWN:
        lines.append(f"and {len(kinds) - SHOWN} other kinds of differences")
    return "\n        ".join(lines)


# ----------------------------------------------------------------- recording


def faults_of(name, runs, same):
    """What is wrong with a net in itself: {lines: runs}."""
    faults, base = {}, {}
    for title, run in runs.items():
        codes = {step["exit"] for step in run.values()}
        if (codes == {0}) == name.startswith("error:") or min(codes) < 0:
            faults.setdefault("exit codes " + ", ".join(
                f"{step['exit']} {step['err'][:1]}"
                for step in run.values()), []).append(title)
        first = base.setdefault("" if same else title.split()[0], title)
        found = [d for d in differences(runs[first], run)
                 if not OF_THREADS.fullmatch(d[0]) and
                 SIZE.sub("", str(d[1])) != SIZE.sub("", str(d[2]))]
        if found:
            faults.setdefault(sentences(found), []).append(
                f"{first} and {title}")
    return faults


def report(name, faults):
    """Prints {lines: runs} of a net."""
    print(f"FAIL {name}")
    for lines, runs in faults.items():
        print(f"    {', '.join(sorted(runs))}:\n        {lines}", flush=True)


def record(gram, folder):
    """Writes the recordings of all nets; the names of those that failed, and
    how many nets there are."""
    gram = os.path.abspath(gram)
    nets, tables = read_nets(), tables_of(gram)
    cores = sorted(os.sched_getaffinity(0))[:max(THREADS)]
    own, free = threading.local(), list(cores)
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder):
        sys.exit(f"nets.py: {folder}: must be empty, or not there")

    def begin():
        own.core = free.pop()

    def work(name):
        steps, same = nets[name]
        runs = {f"{table} {n}": run_net(gram, steps, table,
                                        [own.core] if n == 1 else cores[:n])
                for table in tables for n in THREADS[:len(cores)]}
        with open(recording_of(folder, name), "w") as f:
            json.dump({"net": name, "runs": runs}, f, indent=0)
        return faults_of(name, runs, same)

    failed = []
    with concurrent.futures.ThreadPoolExecutor(len(cores), "net",
                                               begin) as pool:
        for name, faults in zip(nets, pool.map(work, nets)):
            if faults:
                failed.append(name)
                report(name, faults)
    return failed, len(nets)


# ---------------------------------------------------------------- comparison


def read_permitted():
    """[(line, pattern of nets, pattern of paths)], from `permitted`."""
    found = []
    with open(os.path.join(HERE, "permitted")) as f:
        for line in f.read().splitlines():
            if line.strip() and not line.startswith("#"):
                net, path, _reason = line.split(" | ", 2)
                found.append((line, *(
                    re.compile(".*".join(map(re.escape, p.strip().split("*"))))
                    for p in (net, path))))
    return found


def read_recording(folder):
    """{net: {run: what its steps gave}}"""
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as f:
            one = json.load(f)
        found[one["net"]] = one["runs"]
    return found


def compare(folder, other):
    """Prints what differs; the names of nets that failed, and how many nets
    there are."""
    old, new = read_recording(folder), read_recording(other)
    permitted, used, failed = read_permitted(), set(), []
    names = list(old) + [name for name in new if name not in old]
    for name in names:
        faults, before, now = {}, old.get(name, {}), new.get(name, {})
        if not before or not now:
            faults["no such net"] = [other if before else folder]
        for run in sorted(before | now) if not faults else ():
            found = []
            for difference in differences(before.get(run), now.get(run)):
                allowed = {line for line, net, path in permitted
                           if net.fullmatch(name) and
                           path.fullmatch(difference[0])}
                used |= allowed
                if not allowed:
                    found.append(difference)
            if found:
                faults.setdefault(sentences(found), []).append(run)
        if faults:
            failed.append(name)
            report(name, faults)
    for line, _, _ in permitted:
        if line not in used:
            print(f"permits nothing: {line}")
    return failed, len(names)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("record", "compare", "check"):
        sys.exit(__doc__.split("\n\n")[1])
    command, first, second = sys.argv[1:]
    if command == "record":
        failed, count = record(first, second)
    elif command == "compare":
        failed, count = compare(first, second)
    else:
        with tempfile.TemporaryDirectory(prefix="nets-") as new:
            wrong, _ = record(first, new)
            failed, count = compare(second, new)
        failed = set(failed) | set(wrong)
    print(f"{count - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

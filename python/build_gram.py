"""build_gram.py - the extension gram._gram, from include/gram.h itself.

cffi reads the header as the compiler sees it, without attributes and without
<stddef.h> (it knows size_t): no declaration is written twice.  What is added
is how a long call asks Python whether to go on: see gram/_library.py.
"""
import os
import subprocess
import tempfile
from pathlib import Path

import cffi

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
BUILD = Path(os.environ.get("GRAM_BUILD", ROOT / "build"))

SOURCE = """
#include <time.h>
#include "gram.h"

static int gram_python_asked(void *user, double done);

/* A gram_exec.progress whose `user` is the time of the next question: asking
 * needs the interpreter's lock, which another thread may hold for a while. */
static int gram_python_progress(void *user, double done)
{
    enum { NANOSECONDS = 1000000000, PAUSE = NANOSECONDS / 20 };
    long long *next = user, now;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    now = (long long)t.tv_sec * NANOSECONDS + t.tv_nsec;
    if (now < *next)
        return 0;
    *next = now + PAUSE;
    return gram_python_asked(user, done);
}
"""

DECLARATIONS = """
extern "Python" int gram_python_asked(void *user, double done);
int gram_python_progress(void *user, double done);
"""


def preprocessed(header):
    """The declarations of a public header, as cffi can read them."""
    with tempfile.TemporaryDirectory() as empty:
        Path(empty, "stddef.h").touch()
        flags = ["-E", "-P", "-nostdinc", f"-I{empty}", "-D__attribute__(x)="]
        return subprocess.run(
            ["gcc", *flags, header],
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        ).stdout


ffi = cffi.FFI()
ffi.cdef(preprocessed(INCLUDE / "gram.h"))
ffi.cdef(DECLARATIONS)
ffi.set_source(
    "gram._gram",
    SOURCE,
    include_dirs=[str(INCLUDE)],
    library_dirs=[str(BUILD)],
    libraries=["gram"],
    runtime_library_dirs=["$ORIGIN"],
)

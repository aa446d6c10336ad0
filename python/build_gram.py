"""build_gram.py - builds the extension gram._core._gram from include/gram.h.

cffi reads the header itself, preprocessed without attributes and without
<stddef.h> (it knows size_t), so that no declaration is written twice.  Added are
the callbacks by which a long call tells Python its progress and is stopped
(gram/_core/library.py), the kernel that looks up values which Python has
computed, and the task of a loss (gram/_core/machine.py).
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
#include <string.h>
#include <time.h>
#include "gram.h"
#include "gram_plugin.h"

typedef struct gram_python_user {
    long long next; /* when to ask Python again, in nanoseconds */
    void *handle;   /* the Python object that is told */
    int stop;       /* the answer was to stop, which is final */
} gram_python_user;

static int gram_python_asked(void *user, double done);
static void gram_python_entered(void *user, const char *name);

/* A gram_exec.progress that asks Python 20 times a second at most: asking needs
 * the interpreter's lock, which another thread may hold for a while. */
static int gram_python_progress(void *user, double done)
{
    enum { NANOSECONDS = 1000000000, PAUSE = NANOSECONDS / 20 };
    gram_python_user *u = user;
    long long now;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    now = (long long)t.tv_sec * NANOSECONDS + t.tv_nsec;
    if (u->stop || now < u->next)
        return u->stop;
    u->next = now + PAUSE;
    u->stop = gram_python_asked(u->handle, done);
    return u->stop;
}

/* A gram_exec.stage; there are few stages, so that Python is told each. */
static void gram_python_stage(void *user, const char *name)
{
    gram_python_entered(((gram_python_user *)user)->handle, name);
}

/* k(x, t) of rows that consist of their kernel values with all training rows
 * and, last, of their number among these, or -1 for a new row.  The value for
 * two new rows is not known, and not needed. */
static double matrix_entry(void *user, const double *x, const double *t,
                           size_t d)
{
    double i = x[d - 1], j = t[d - 1];

    (void)user;
    return j >= 0 ? x[(size_t)j] : i >= 0 ? t[(size_t)i] : 0;
}

static gram_status gram_python_register(const char *name)
{
    return gram_kernel_register_pairs(name, matrix_entry, NULL);
}

/* The task of a loss, in the words of gram_report; NULL: there is no loss of
 * that name. */
static const char *gram_python_task(const char *name)
{
    const gram_loss_class *loss;

    for (size_t i = 0; (loss = gram_loss_at(i)); i++)
        if (strcmp(loss->name, name) == 0)
            return loss->flags & GRAM_LOSS_CLASSES   ? "classification"
                   : loss->flags & GRAM_LOSS_NOVELTY ? "novelty"
                                                     : "regression";
    return NULL;
}
"""

DECLARATIONS = """
typedef struct gram_python_user {
    long long next;
    void *handle;
    int stop;
} gram_python_user;
extern "Python" int gram_python_asked(void *user, double done);
extern "Python" void gram_python_entered(void *user, const char *name);
extern "Python" void gram_python_found(void *user, const char *kernel,
                                       double lambda, double error);
int gram_python_progress(void *user, double done);
void gram_python_stage(void *user, const char *name);
gram_status gram_python_register(const char *name);
const char *gram_python_task(const char *name);
"""


def preprocessed(header):
    """The declarations of a public header in a form that cffi can read."""
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
    "gram._core._gram",
    SOURCE,
    include_dirs=[str(INCLUDE)],
    library_dirs=[str(BUILD)],
    libraries=["gram"],
    runtime_library_dirs=["$ORIGIN"],
)

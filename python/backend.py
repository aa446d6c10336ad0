"""backend.py - builds the wheel when pip asks for it (PEP 517).

The extension uses Python's stable interface only, so that one wheel serves all
versions, and any Python that has setuptools, wheel and cffi can build it: the
one that runs pip, or Debian's, whichever `python3` comes first on the PATH.  If
there is one, nothing is downloaded; otherwise pip is asked to download them.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

NEEDS = ["setuptools>=66", "wheel", "cffi>=1.15"]
DEBIAN = "/usr/bin/python3"


def environment():
    """The environment for a Python outside that of pip, which hides packages."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE")
    return {k: v for k, v in os.environ.items() if k not in hidden}


def run(python, *words):
    """Run a command with this Python, or with another in its environment."""
    own = python == sys.executable
    return subprocess.run(
        [python, *words],
        cwd=Path(__file__).parent,
        env=None if own else environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def builder():
    """A Python that can build the wheel, or None."""
    test = "import setuptools, wheel.bdist_wheel, cffi"
    for python in (sys.executable, DEBIAN):
        if Path(python).exists() and run(python, "-c", test).returncode == 0:
            return python
    return None


def get_requires_for_build_wheel(config_settings=None):
    """What pip must install before it asks for the wheel."""
    return [] if builder() else NEEDS


def build_wheel(
    wheel_directory, config_settings=None, metadata_directory=None
):
    """Build the wheel in that folder, and return its name."""
    python = builder()
    if not python:
        needs = " ".join(f"'{need}'" for need in NEEDS)
        sys.exit(
            "gram: no Python here has what building it needs, install that "
            f"first: {sys.executable} -m pip install {needs}"
        )
    with tempfile.TemporaryDirectory(dir=wheel_directory) as folder:
        done = run(python, "setup.py", "-q", "bdist_wheel", "-d", folder)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\ngram: the wheel could not be built")
        (wheel,) = Path(folder).glob("*.whl")
        wheel.rename(Path(wheel_directory, wheel.name))
    return wheel.name


def get_requires_for_build_editable(config_settings=None):
    """What an editable package, which setuptools builds, needs."""
    return NEEDS


def build_editable(
    wheel_directory, config_settings=None, metadata_directory=None
):
    """Build an editable package as setuptools does."""
    from setuptools import build_meta

    return build_meta.build_editable(
        wheel_directory, config_settings, metadata_directory
    )

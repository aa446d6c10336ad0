"""backend.py - makes the wheel when pip asks for it (PEP 517).

The extension keeps to Python's stable interface, so that one wheel is for all
versions, and any Python that has setuptools, wheel and cffi may make it:
pip's own, or Debian's, whatever `python3` is the first on the PATH.  Nothing
is downloaded if there is one; if not, pip is asked to get them.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

NEEDS = ["setuptools>=66", "wheel", "cffi>=1.15"]
DEBIAN = "/usr/bin/python3"


def environment():
    """That of a Python outside of pip's, which hides what is installed."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE")
    return {k: v for k, v in os.environ.items() if k not in hidden}


def run(python, *words):
    """A command of this Python's own environment, or of another's."""
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
    """A Python that can make the wheel, or None."""
    test = "import setuptools, wheel.bdist_wheel, cffi"
    for python in (sys.executable, DEBIAN):
        if Path(python).exists() and run(python, "-c", test).returncode == 0:
            return python
    return None


def get_requires_for_build_wheel(config_settings=None):
    """What pip shall get before it asks for the wheel."""
    return [] if builder() else NEEDS


def build_wheel(
    wheel_directory, config_settings=None, metadata_directory=None
):
    """Make the wheel in that folder; its name."""
    python = builder()
    if not python:
        needs = " ".join(f"'{need}'" for need in NEEDS)
        sys.exit(
            "gram: nothing here can build it, install what does: "
            f"{sys.executable} -m pip install {needs}"
        )
    with tempfile.TemporaryDirectory(dir=wheel_directory) as folder:
        done = run(python, "setup.py", "-q", "bdist_wheel", "-d", folder)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\ngram: the wheel could not be built")
        (wheel,) = Path(folder).glob("*.whl")
        wheel.rename(Path(wheel_directory, wheel.name))
    return wheel.name


def get_requires_for_build_editable(config_settings=None):
    """An editable package is made by setuptools itself."""
    return NEEDS


def build_editable(
    wheel_directory, config_settings=None, metadata_directory=None
):
    """As setuptools does it."""
    from setuptools import build_meta

    return build_meta.build_editable(
        wheel_directory, config_settings, metadata_directory
    )

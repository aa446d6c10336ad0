"""setup.py - the package gram: Python files, an extension and the library.

The library is the libgram.so of GRAM_BUILD (default: ../build), which is built
first if it does not exist.  It is copied next to the extension, which looks for
it there and nowhere else, so that the package does not depend on where it was
built.  Intermediate files go to BUILD/python/temp, not into the source.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("GRAM_BUILD", ROOT / "build"))
HEADER = (ROOT / "include/gram.h").read_text(encoding="utf-8")
VERSION = ".".join(re.findall(r"#define GRAM_VERSION_[A-Z]+ (\d+)", HEADER))
LIBRARY = BUILD / f"libgram.so.{VERSION}"
TEMP = BUILD / "python/temp"
SONAME = f"libgram.so.{VERSION.split('.', maxsplit=1)[0]}"


class BuildExt(build_ext):
    """Build the extension and copy the library next to it."""

    def run(self):
        if not LIBRARY.exists():
            subprocess.run(
                ["make", "-C", ROOT, f"BUILD={BUILD}", LIBRARY], check=True
            )
        super().run()
        shutil.copy(LIBRARY, Path(self.build_lib, "gram/_core", SONAME))


TEMP.mkdir(parents=True, exist_ok=True)
setup(
    version=VERSION,
    packages=find_packages(include=["gram", "gram.*"]),
    package_data={"gram": ["py.typed"], "gram._core": ["*.pyi"]},
    include_package_data=False,
    cffi_modules=["build_gram.py:ffi"],
    cmdclass={"build_ext": BuildExt},
    options={
        "build": {"build_base": str(TEMP)},
        "egg_info": {"egg_base": str(TEMP)},
        # the extension is abi3: one wheel for this and all later versions
        "bdist_wheel": {"py_limited_api": "cp39"},
    },
)

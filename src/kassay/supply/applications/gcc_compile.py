# SPDX-License-Identifier: GPL-2.0-only
"""gcc compiles a C file to an object."""

from kassay.model.application import Application
from kassay.supply.applications._inputs import c_source

_FUNCTIONS = 6

APPLICATION = Application(
    name="gcc_compile",
    summary=f"gcc -O2 -c: a file of {_FUNCTIONS} functions that includes 13 headers of the C library",
    uses="three programs, one after the other (gcc, cc1, as); cc1 grows its heap by mmap of pools and never gives back",
    packages=("gcc-14", "libc6-dev"),
    without=("lib*san[0-9]", "libgprofng0"),
    command=("/usr/bin/gcc-14", "-O2", "-c", "-o", "unit.o", "unit.c"),
    environment=("PATH=/usr/bin",),
    checks=(("/usr/bin/gcc-14", "-o", "unit", "unit.o", "-lm"), ("/data/unit",)),
    operation="file",
    inputs=lambda: {"unit.c": c_source(1, _FUNCTIONS)},
)

# SPDX-License-Identifier: GPL-2.0-only
"""clang compiles a C file to an object."""

from kassay.model.application import Application
from kassay.supply.applications._inputs import c_source

_FUNCTIONS = 6

APPLICATION = Application(
    name="clang_compile",
    summary=f"clang -O2 -c: a file of {_FUNCTIONS} functions that includes 13 headers of the C library",
    uses="160 MiB of shared libraries, whose pages are mapped from the page cache by faults; heap by brk",
    packages=("clang-19",),
    without=("libclang1-*", "libstdc++-*-dev", "libobjc-*", "llvm-*-linker-tools", "lib*san[0-9]", "libgprofng0"),
    command=("/usr/bin/clang-19", "-O2", "-c", "-o", "unit.o", "unit.c"),
    environment=("PATH=/usr/bin",),
    checks=(("/usr/bin/clang-19", "-o", "unit", "unit.o", "-lm"), ("/data/unit",)),
    operation="file",
    memory="2GiB",
    inputs=lambda: {"unit.c": c_source(1, _FUNCTIONS)},
)

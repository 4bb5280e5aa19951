# SPDX-License-Identifier: GPL-2.0-only
"""Names of errors are the same with a C library that has no names for them."""

import subprocess
from pathlib import Path

import pytest

from kassay.effects import process
from kassay.supply.guest.sources import directory

_PROGRAM = r"""
#define _GNU_SOURCE
#include <stdio.h>
#undef __GLIBC__
#include "error_name.h"

int main(void)
{
	for (int error = 1; error < 134; error++) {
		const char *own = error_name(error), *name = strerrorname_np(error);

		if (strcmp(own ? own : "?", name ? name : "?"))
			printf("%d %s %s\n", error, own ? own : "?", name ? name : "?");
	}
}
"""


def test_every_error_has_the_name_that_glibc_gives_it(tmp_path: Path) -> None:
    if process.find("gcc") is None:
        pytest.skip("no gcc on this host")
    (tmp_path / "names.c").write_text(_PROGRAM)
    subprocess.run(("gcc", f"-I{directory()}", "-o", "names", "names.c"), cwd=tmp_path, check=True)
    assert subprocess.run(("./names",), cwd=tmp_path, check=True, capture_output=True, text=True).stdout == ""

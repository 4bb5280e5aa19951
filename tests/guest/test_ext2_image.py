# SPDX-License-Identifier: GPL-2.0-only
"""The empty file system that guests make: what the tools of its format say of it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from kassay.supply.guest import sources

E2FSCK = shutil.which("e2fsck", path=f"{os.environ['PATH']}:/sbin:/usr/sbin")
MAIN = """
#include <stdlib.h>
#include "ext2_image.h"

int main(int argc, char **argv)
{
	return argc < 2 || ext2_image_write(1, strtoull(argv[1], NULL, 10));
}
"""


@pytest.mark.skipif(E2FSCK is None, reason="e2fsck is not installed")
@pytest.mark.parametrize("mib", [1, 16, 128, 200])
def test_a_file_system_has_nothing_to_repair(tmp_path: Path, mib: int) -> None:
    guest, image = sources.directory(), tmp_path / "image"
    (tmp_path / "main.c").write_text(MAIN)
    command = ["gcc", "-Wall", "-Werror", f"-I{guest}", "-o", "write", "main.c", str(guest / "ext2_image.c")]
    subprocess.run(command, cwd=tmp_path, check=True)
    with image.open("wb") as out:
        os.truncate(out.fileno(), mib << 20)
        subprocess.run([tmp_path / "write", str(mib << 20)], stdout=out, check=True)
    assert E2FSCK is not None
    checked = subprocess.run([E2FSCK, "-fn", image], capture_output=True, text=True, check=False)
    assert (checked.returncode, "10/16 files" in checked.stdout) == (0, True), checked

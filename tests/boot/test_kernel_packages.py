# SPDX-License-Identifier: GPL-2.0-only
"""A kernel out of a package has the digits of the same image out of the archive, modules of the package included."""

from pathlib import Path

import pytest

from kassay.model.kernel import parse_ref
from kassay.model.progress import silent
from kassay.supply.kernels import fetch, load_modules
from tests.boot.conftest import ONCE, Kassay
from tests.kernels import package_files

pytestmark = pytest.mark.boot
KERNEL = "debian:6.12"


def test_packages_of_rpm_and_pacman_have_the_digits_of_the_archive(kassay: Kassay, tmp_path: Path) -> None:
    (stock,) = fetch([parse_ref(KERNEL)], "cloud", silent)
    tree = f"usr/lib/modules/{stock.identity.release}"
    core = {f"{tree}/vmlinuz": Path(stock.image).read_bytes()}
    core[f"{tree}/modules.builtin"] = (Path(stock.directory) / "modules.builtin").read_bytes()
    modules = {f"{tree}/kernel/{name}.ko": data for name, data in load_modules(stock, ["zram"], silent)}
    refs = (
        f"rpm:{package_files.rpm(tmp_path, 'core', core)},{package_files.rpm(tmp_path, 'modules', modules)}",
        f"pacman:{package_files.pacman(tmp_path, 'linux', {**core, **modules})}",
    )
    given = ("--set", "size=1MiB", "--set", "swap=zram", "--rounds", "4", "--boot", "snapshot")
    ran = kassay("ladder", "madvise_pageout", KERNEL, *refs, *given, *ONCE, "--out", str(tmp_path / "d"))
    assert ran.status == 0, ran.err
    report = ran.json()
    assert {kernel["image_sha256"] for kernel in report["kernels"]} == {stock.identity.image_sha256}
    assert [len(kernel.get("files", ())) for kernel in report["kernels"]] == [0, 2, 1]
    values = [{side["value"] for side in finding["sides"]} for finding in report["findings"]]
    assert values and all(len(found) == 1 and None not in found for found in values)

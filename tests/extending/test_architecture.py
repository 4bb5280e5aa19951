# SPDX-License-Identifier: GPL-2.0-only
"""An architecture from outside: one that is known to help, references and the doctor before a kernel of it is here, and
one that boots: kassay's own arm64, taken out of a copy of kassay and given back under another name."""

import json
import re
import shutil
from pathlib import Path

import pytest

from kassay.effects.distribution import install
from kassay.effects.files import cache_directory
from kassay.effects.process import find
from kassay.supply.arches import arch_of
from tests.extending.outside import ROOT, Outside, documented_examples, outside

FILE = documented_examples()["arches/loong64.py"]


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    found = outside(tmp_path_factory.mktemp("arch"))
    found.add("arches/loong64.py", FILE)
    return found


def test_help_and_refusals_list_it(added: Outside) -> None:
    assert "x86_64, arm64 or loong64." in added.kassay("compare", "--help")
    assert "known: x86_64, arm64, loong64" in added.kassay("doctor", "--arch", "sparc", status=2)


def test_its_own_facts_decide_what_may_be_asked(added: Outside) -> None:
    words = ("compare", "mincore_scan", "loong64/debian:6.12", "loong64/debian:6.16", "--arch", "loong64")
    assert "QEMU's machine for loong64 has at most 4" in added.kassay(*words, "--cpus", "8", status=2)
    assert "is for loong64, the experiment for x86_64" in added.kassay(*words[:-2], status=2)


def test_what_it_needs_is_named_before_anything_is_fetched(added: Outside) -> None:
    words = ("compare", "mincore_scan", "debian:6.12", "debian:6.16", "--arch", "loong64", "--set", "size=64KiB")
    lacks = added.kassay(*words, status=3)
    assert "qemu-system-none64: not found on this host" in lacks and install("qemu-system-none") in lacks
    small = added.kassay(*words[:-1], "size=4KiB", status=2)
    assert "'4KiB' is not a multiple of 16KiB" in small


NAME = "eight64"
FILES = (
    "src/kassay/supply/arches/arm64.py", "src/kassay/supply/machine_code/decoders/arm64.py",
    "src/kassay/supply/building/configs/lab-arm64.config", "guest/arch/arm64.c", "plugin/arch-arm64.c",
    "src/kassay/labs/predict/decode/arm64.py",
)  # fmt: skip
ONE_RUN = """
question = "value"
arch = "ARCH"
kernels = ["ARCH/image:image"]
rounds = 4
repeats = 1
perturb = 0

[[workloads]]
name = "mprotect_toggle"
set.size = "512KiB"
"""


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """kassay without arm64, and the files of arm64 under another name in a directory of extensions."""
    source = tmp_path_factory.mktemp("source")
    found = outside(tmp_path_factory.mktemp("moved"), source)
    ignored = shutil.ignore_patterns("__pycache__")
    for root in ("src/kassay", "guest", "plugin"):
        shutil.copytree(ROOT / root, source / root, ignore=ignored)
    for file in FILES:
        path = source / file
        text = path.read_text().replace('name="arm64"', f'name="{NAME}"')
        path.unlink()
        found.add(re.sub(r"^src/kassay/(supply/|labs/)?", "", file).replace("arm64", NAME), text)
    return found


def test_nothing_of_it_is_left_and_all_of_it_is_found(moved: Outside) -> None:
    assert f"known: x86_64, {NAME}" in moved.kassay("doctor", "--arch", "arm64", status=2)
    assert f"x86_64 or {NAME}." in moved.kassay("compare", "--help")


def test_without_a_file_it_needs_it_is_refused_by_name(moved: Outside, tmp_path: Path) -> None:
    less = outside(tmp_path, moved.source)
    less.add(f"arches/{NAME}.py", (moved.extensions / f"arches/{NAME}.py").read_text())
    (less.work / "image").write_bytes(flat_image())
    words = ("compare", "mincore_scan", *(f"{NAME}/image:image",) * 2, "--arch", NAME, "--out", "d")
    refused = less.kassay(*words, status=3)
    assert f"no guest programs for {NAME}" in refused and f"write guest/arch/{NAME}.c" in refused
    less.add(f"guest/arch/{NAME}.c", '#include "arch.h"\nint broken(void)\n{\n\treturn nothing;\n}\n')
    wrong = less.kassay(*words, status=2)
    assert re.search(rf"{less.extensions}/guest/arch/{NAME}\.c:4:\d+: error: .nothing. undeclared", wrong), wrong


def test_a_second_file_of_one_architecture_is_refused(moved: Outside, tmp_path: Path) -> None:
    twice = outside(tmp_path)
    twice.add(f"arches/{NAME}.py", (moved.extensions / f"arches/{NAME}.py").read_text())
    assert f"arches/{NAME}.py: uname 'aarch64' is that of arm64 already" in twice.kassay("doctor", status=2)
    named = outside(tmp_path / "named")
    named.add("arches/other.py", (moved.extensions / f"arches/{NAME}.py").read_text())
    assert f"arches/other.py: its ARCH is named '{NAME}'" in named.kassay("doctor", status=2)


@pytest.mark.boot
def test_a_kernel_is_booted_counted_and_itemised_as_in_the_tree(moved: Outside, tmp_path: Path) -> None:
    images = images_of("arm64")
    if not images or find(arch_of("arm64").qemu.program) is None:
        pytest.skip("no arm64 kernel in the store, or no emulator: kassay kernels fetch arm64/debian:6.16")
    there, here = (profile(moved, NAME, images[0]), profile(outside(tmp_path), "arm64", images[0]))
    assert len(there) > 10 and any("change_protection" in row for row in there)
    assert there == here


def profile(asked: Outside, arch: str, image: Path) -> list[list[str]]:
    """Every function of one run of a kernel with its figures, as `kassay profile` prints them."""
    (asked.work / "image").symlink_to(image)
    (asked.work / "one.toml").write_text(ONE_RUN.replace("ARCH", arch))
    asked.kassay("run", "one.toml", "--out", "d")
    report = json.loads((asked.work / "d" / "report.json").read_text())
    assert report["machine"]["arch"] == arch
    kernel = f"{arch}/image:image"
    rows = asked.kassay("profile", "d", "--kernel", kernel, "--top", "0").replace(kernel, "KERNEL").splitlines()
    return [row.split() for row in rows if re.search(r"\d", row)]


def images_of(arch: str) -> list[Path]:
    """Kernels of the store."""
    found = sorted((cache_directory() / "kernels").glob("*/kernel.json"))
    return [path.parent / "image" for path in found if f'"arch":"{arch}"' in path.read_text()]


def flat_image() -> bytes:
    """First bytes of an arm64 image, with the banner that names its compiler."""
    banner = b"Linux version 6.17.0 (a@b) (gcc 14, ld 2.4) #1"
    return bytes(56) + b"ARM\x64" + bytes(1000) + banner + bytes(100)

# SPDX-License-Identifier: GPL-2.0-only
"""Libraries that nothing would find are named, and the loader finds the others by its cache."""

import shutil
import subprocess
from pathlib import Path

import pytest

from kassay.model.packages import Image
from kassay.model.progress import silent
from kassay.supply.images.tree import image
from tests.images.debs import Part, deb, read

FOLDER = "usr/lib/x86_64-linux-gnu"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """libone.so.1 and libone.so.10, and libtwo.so.2 which asks for both and for a library that stays behind."""
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "a.c").write_text("int a(void) { return 0; }\n")
    common = ("gcc", "-shared", "-nostdlib", "-fPIC", "a.c", "-Wl,--no-as-needed", "-L.")
    for name, needed in (("libone.so.1", ()), ("libone.so.10", ()), ("libgone.so.3", ()),
                         ("libtwo.so.2", ("libone.so.1", "libone.so.10", "libgone.so.3"))):  # fmt: skip
        words = (*common, f"-Wl,-soname,{name}", "-o", name, *(f"-l:{one}" for one in needed))
        subprocess.run(words, cwd=folder, check=True)
    return folder


def _image(built: Path, tmp_path: Path, *links: tuple[str, str]) -> tuple[Image, bytes]:
    names = ("libone.so.1", "libone.so.10", "libtwo.so.2")
    parts = [Part(f"./{FOLDER}/{name}", (built / name).read_bytes()) for name in names]
    parts += [Part(f"./{FOLDER}/other/libgone.so.3", (built / "libgone.so.3").read_bytes())]
    parts += [Part(f"./{FOLDER}/libone.so", target="libone.so.1")]
    package, file = deb(tmp_path, "libs", parts)
    made, path = image([package], links, "x86_64", lambda: [file], silent)
    return made, path.read_bytes()


def test_a_library_that_nothing_finds_is_named_with_where_it_lies(built: Path, tmp_path: Path, cache: Path) -> None:
    made, _ = _image(built, tmp_path)
    says = f"libgone.so.3 is missing: /{FOLDER}/libtwo.so.2 asks for it; /{FOLDER}/other/libgone.so.3 has this name"
    assert made.missing == (says,)
    assert _image(built, tmp_path, (f"/{FOLDER}/libgone.so.3", "other/libgone.so.3"))[0].missing == ()


@pytest.mark.skipif(shutil.which("ldconfig", path="/sbin:/usr/sbin") is None, reason="no ldconfig on this host")
def test_ldconfig_reads_the_cache(built: Path, tmp_path: Path, cache: Path) -> None:
    _, archive = _image(built, tmp_path)
    (tmp_path / "cache.so").write_bytes(read(archive)["etc/ld.so.cache"].data)
    done = subprocess.run(("/sbin/ldconfig", "-p", "-C", str(tmp_path / "cache.so")), capture_output=True, check=True)
    lines = [line.strip() for line in done.stdout.decode().splitlines() if "=>" in line]
    names = ("libtwo.so.2", "libone.so.10", "libone.so.1")  # in the loader's order: 10 is more than 1
    assert lines == [f"{name} (libc6,x86-64) => /lib/x86_64-linux-gnu/{name}" for name in names]

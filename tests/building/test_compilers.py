# SPDX-License-Identifier: GPL-2.0-only
"""A compiler is found by its name."""

import re
from pathlib import Path

import pytest

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.effects.files import sha256_bytes
from kassay.errors import BadInput, HostLacks
from kassay.model.progress import silent
from kassay.supply.archive import apt
from kassay.supply.archive.index import current_index
from kassay.supply.archive.mirrors import host_mirrors
from kassay.supply.building import toolchain
from kassay.supply.building.compilers import (
    check_tools,
    find_compiler,
    linker_of,
    missing_tools,
    package_of,
    present_compilers,
)


def test_the_hosts_gcc_is_described() -> None:
    found = find_compiler("gcc", "x86_64", silent)
    assert "gcc" in found.banner
    assert found.make_arguments == (f"CC={found.path}",)
    assert found.tools_prefix == ""  # the host's linker stays the host compiler's


def test_another_content_is_another_compiler(tmp_path: Path) -> None:
    real = find_compiler("gcc", "x86_64", silent)
    script = tmp_path / "gcc"
    script.write_text(f'#!/bin/sh\nexec {real.path} "$@"\n')
    script.chmod(0o755)
    assert find_compiler(str(script), "x86_64", silent).identity != real.identity


@pytest.mark.parametrize("name", ["tcc", "gcc-", "gcc-12.2", "/nosuch/gcc", "/bin/true"])
def test_what_is_no_compiler_is_refused(name: str) -> None:
    with pytest.raises(BadInput):
        find_compiler(name, "x86_64", silent)


def test_a_cross_compiler_is_a_package_of_its_own() -> None:
    assert package_of("gcc", "13", "arm64") == "gcc-13-aarch64-linux-gnu"
    assert package_of("clang", "18", "arm64") == "clang-18"


def test_compilers_of_this_host_and_of_the_cache_are_listed_once_each(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed = {name: tmp_path / name for name in ("gcc", "gcc-12", "clang-14", "clang-18")}
    for name in ("gcc-12", "clang-14", "clang-18"):
        installed[name].touch()
    installed["gcc"].symlink_to(installed["gcc-12"])
    monkeypatch.setattr(
        "kassay.supply.building.compilers.process.find",
        lambda name: str(installed[name]) if name in installed else None,
    )
    monkeypatch.setattr(toolchain, "_directory", lambda: tmp_path / "cache")
    (tmp_path / "cache" / f"gcc-15_15.3.0-4_{toolchain._LAYOUT}").mkdir(parents=True)
    (tmp_path / "cache" / "gcc-14_14.2.0-1_0").mkdir()  # unpacked by an earlier version: it is fetched again
    assert present_compilers("x86_64") == ("gcc", "gcc-15", "clang-14", "clang-18")


def test_a_clang_of_the_cache_is_for_the_architecture_whose_binutils_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchain, "_directory", lambda: tmp_path)
    for name in ("clang-19_19.1.7", "clang-18-arm64_18.1.8", "gcc-13-aarch64-linux-gnu_13.3.0"):
        (tmp_path / f"{name}_{toolchain._LAYOUT}").mkdir()
    found = {
        (major, arch): toolchain.cached("clang", major, f"clang-{major}", arch) is not None
        for major in (18, 19)
        for arch in ("x86_64", "arm64")
    }
    assert found == {(18, "x86_64"): False, (18, "arm64"): True, (19, "x86_64"): True, (19, "arm64"): False}
    assert toolchain.cached("gcc", 13, "gcc-13-aarch64-linux-gnu", "arm64") is not None


def test_missing_tools_are_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "kassay.supply.building.compilers.process.find", lambda name: None if name in ("flex", "bc") else name
    )
    monkeypatch.setattr("kassay.supply.building.compilers._has_header", lambda header: False)
    assert missing_tools("x86_64") == ("flex", "bc", "libelf-dev")
    with pytest.raises(HostLacks, match=re.escape(install("flex", "bc", "libelf-dev"))):
        check_tools("x86_64")


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_packages_does_not_make_another_compiler(tmp_path: Path, order: int) -> None:
    lines = ("binutils 2.44 1f\n", "gcc-15 15.2.0 ab\n", "libc6 2.41 03\n")
    (tmp_path / "packages").write_text("".join(lines[::order]))
    assert toolchain.identity(tmp_path / "bin" / "gcc-15") == sha256_bytes("".join(lines).encode())


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.skipif(process.find("apt-get") is None, reason="apt is not on this host")
def test_hosts_with_and_without_apt_find_the_same_packages_of_a_compiler() -> None:
    mirrors = host_mirrors()
    root = apt.root_for(mirrors, "x86_64")
    current_index("x86_64", silent)
    apt.prepare(root, mirrors)
    asked = (root, mirrors, apt.codename(root, "stable"), ("gcc-13", "binutils-x86-64-linux-gnu"))
    assert sorted(toolchain._by_apt(*asked)) == sorted(toolchain._without_apt(*asked))


@pytest.mark.network
@pytest.mark.slow
def test_a_compiler_of_the_archive_assembles_and_links_with_the_binutils_of_its_suite(tmp_path: Path) -> None:
    """gcc 15 writes a table of bytes as `.base64`, which the assembler of Debian 12 does not know."""
    found = find_compiler("gcc-15", "x86_64", silent)
    table = ",".join(str(n * 7 % 256) for n in range(4096))
    (tmp_path / "a.c").write_text(f"const unsigned char table[] = {{{table}}};\nint f(int x) {{ return table[x]; }}\n")
    ended = process.run((found.path, "-O2", "-c", str(tmp_path / "a.c"), "-o", str(tmp_path / "a.o")))
    assert (ended.status, ended.err) == (0, "")
    assert " 15." in found.banner
    assert b"GCC: (Debian 15." in (tmp_path / "a.o").read_bytes()
    linked = process.run((found.path, "-shared", "-nostdlib", str(tmp_path / "a.o"), "-o", str(tmp_path / "a.so"),
                          "-Wl,--version"))  # fmt: skip
    assert linked.out.splitlines()[0] == linker_of(found)
    assert f"CROSS_COMPILE={found.tools_prefix}" in found.make_arguments
    unpacked = (Path(found.path).parent.parent / "packages").read_text().split()
    assert "binutils-x86-64-linux-gnu" in unpacked  # a part of the compiler's identity

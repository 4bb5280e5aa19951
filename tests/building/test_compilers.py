# SPDX-License-Identifier: GPL-2.0-only
"""Which compiler a name means."""

from pathlib import Path

import pytest

from kassay.building.compilers import check_tools, find_compiler, missing_tools, package_of
from kassay.errors import BadInput, HostLacks
from kassay.model.progress import silent


def test_the_hosts_gcc_is_described() -> None:
    found = find_compiler("gcc", "x86_64", silent)
    assert "gcc" in found.banner
    assert found.make_arguments == (f"CC={found.path}",)


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


def test_missing_tools_are_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kassay.building.compilers.process.find", lambda name: None if name in ("flex", "bc") else name)
    monkeypatch.setattr("kassay.building.compilers._has_header", lambda header: False)
    assert missing_tools("x86_64") == ("flex", "bc", "libelf-dev")
    with pytest.raises(HostLacks, match="apt-get install flex bc libelf-dev"):
        check_tools("x86_64")


@pytest.mark.network
@pytest.mark.slow
def test_a_compiler_of_the_archive_compiles(tmp_path: Path) -> None:
    from kassay.effects import process

    found = find_compiler("gcc-13", "x86_64", silent)
    (tmp_path / "a.c").write_text("int f(int x) { return x * 3; }\n")
    ended = process.run((found.path, "-O2", "-c", str(tmp_path / "a.c"), "-o", str(tmp_path / "a.o")))
    assert ended.status == 0 and " 13." in found.banner
    assert b"GCC: (Debian 13." in (tmp_path / "a.o").read_bytes()

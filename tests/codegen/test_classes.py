# SPDX-License-Identifier: GPL-2.0-only
"""Classes and the sentence over them."""

import pytest

from kassay.labs.codegen.classes import classified, compiler_name, verdict
from kassay.model.codegen import Body

GCC = "gcc-12 (Debian 12.2.0-14+deb12u1) 12.2.0"
CLANG = "Debian clang version 16.0.6 (15~deb12u1)"


def body(reference: str, sha256: str | None, cc: str = "", compiler: str = GCC, **more: str) -> Body:
    outcome = more.pop("outcome", "compiled" if sha256 else "inlined")
    return Body(reference=reference, outcome=outcome, compiler=compiler, arch="x86_64", cc=cc, sha256=sha256,
                bytes_sha256=more.get("bytes", sha256), size=1)  # fmt: skip


def test_letters_follow_the_order_of_first_appearance() -> None:
    found = classified([body("a", "x"), body("b", "y"), body("c", "x"), body("d", None), body("e", "z")])
    assert [one.own_class for one in found] == ["A", "B", "A", "", "C"]


def test_letters_go_on_behind_z() -> None:
    found = classified([body(str(n), str(n)) for n in range(54)])
    assert [found[n].own_class for n in (25, 26, 27, 52, 53)] == ["Z", "AA", "AB", "BA", "BB"]


def test_bytes_are_compared_with_the_first_of_the_class() -> None:
    found = classified([body("a", "x"), body("b", "x"), body("c", "x", bytes="other")])
    assert [one.same_bytes for one in found] == [None, True, False]


@pytest.mark.parametrize(
    ("banner", "name"),
    [
        (GCC, "gcc 12.2.0"),
        (CLANG, "clang 16.0.6"),
        ("x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0, GNU ld (GNU Binutils for Debian) 2.44", "gcc 14.2.0"),
        ("gcc (Ubuntu 13.3.0-6ubuntu2~24.04.1) 13.3.0", "gcc 13.3.0"),
        ("aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0", "gcc 12.2.0"),
        ("Debian clang version 14.0.6", "clang 14.0.6"),
        ("Debian clang version 19.1.7 (3+b1), LLD 19.1.7", "clang 19.1.7"),
        ("tcc 0.9", ""),
        (None, ""),
    ],
)  # fmt: skip
def test_a_compiler_s_name_is_short(banner: str | None, name: str) -> None:
    assert compiler_name(banner) == name


def test_the_verdict_counts_the_functions_that_each_compiler_makes() -> None:
    names = ("original", "nobatch", "fastpath")
    found = classified(
        [body(name, f"gcc {name}", "gcc-12") for name in names]
        + [body(name, "clang", "clang-16", CLANG) for name in names]
    )
    assert verdict("f", found) == (
        "f: gcc 12.2.0 makes three different functions (A, B, C) of the three sources; "
        "clang 16.0.6 makes one function (D) of the three sources."
    )


def test_what_has_no_code_has_its_place_in_the_verdict() -> None:
    found = classified([
        body("old", None, "gcc-12"), body("new", "x", "gcc-12"),
        body("old", None, "clang-16", CLANG, outcome="not-built"),
        body("new", None, "clang-16", CLANG, outcome="absent"),
    ])  # fmt: skip
    assert verdict("f", found) == (
        "f: gcc 12.2.0 makes one function (A) of one of the two sources, no function of its own in old; "
        "clang 16.0.6: not in the source of new, not built: old."
    )


def test_kernels_are_grouped_by_class() -> None:
    found = classified([body("debian:6.16", "x"), body("debian:6.17", "y"), body("debian:6.18", "y")])
    assert verdict("f", found) == (
        "f: two different functions in three kernels, built by gcc 12.2.0: A in debian:6.16; "
        "B in debian:6.17, debian:6.18."
    )
    assert verdict("f", classified([body("a", "x"), body("b", "x")])) == (
        "f: the same in two kernels, built by gcc 12.2.0."
    )


def test_one_kernel_that_has_it_is_not_called_the_same_in_several() -> None:
    found = classified([body("a", None), body("b", "x", compiler="")])
    assert verdict("f", found) == "f: compiled in b; no function of its own in a."

# SPDX-License-Identifier: GPL-2.0-only
"""Other differences between two kernels are found, compilers by the names that images really have."""

import pytest
from msgspec import structs

from kassay.analysis.analyse import _confounders
from kassay.analysis.confounders import confounders
from kassay.model.finding import CONFOUNDERS, Confounder
from kassay.model.kernel import KernelIdentity
from kassay.model.records import Setting
from tests.analysis.sides import evidence

GCC_12 = "gcc-12 (Debian 12.2.0-14+deb12u1) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40"
GCC_14 = "x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0, GNU ld (GNU Binutils for Debian) 2.44"
CLANG = "Debian clang version 18.1.8 (9), Debian LLD 18.1.8"
_KERNEL = KernelIdentity(ref="debian:6.12", arch="x86_64", release="6.12", image_sha256=None)


def found(base: str | None, head: str | None) -> tuple[Confounder, ...]:
    return confounders(structs.replace(_KERNEL, compiler=base), structs.replace(_KERNEL, compiler=head))


@pytest.mark.parametrize(
    ("base", "head", "texts"),
    [
        (GCC_12, GCC_14, ("gcc 12.2.0", "gcc 14.2.0")),
        (GCC_14, CLANG, ("gcc 14.2.0", "clang 18.1.8")),
        ("gcc-14", "gcc-12", ("gcc-14", "gcc-12")),  # as the kernel test robot names them
    ],
)
def test_compilers_of_two_versions_are_named_shortly(base: str, head: str, texts: tuple[str, str]) -> None:
    assert found(base, head) == (Confounder(code="compiler", base=texts[0], head=texts[1]),)


def test_one_version_of_two_vendors_is_named_in_full() -> None:
    (one,) = found("gcc (Debian 14.2.0-19) 14.2.0, GNU ld 2.44", "gcc (GCC) 14.2.0, GNU ld 2.44")
    assert (one.base, one.head) == ("gcc (Debian 14.2.0-19) 14.2.0", "gcc (GCC) 14.2.0")


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (GCC_14, GCC_14),
        (GCC_14, GCC_14.replace("2.44", "2.46")),  # another linker
        (GCC_14, "gcc-14 (Debian 14.2.0-19) 14.2.0, GNU ld (GNU Binutils for Debian) 2.44"),  # built on its own arch
        (GCC_14, None),
        (None, None),
    ],
)
def test_nothing_is_found_of_one_compiler_or_of_an_unknown_one(base: str | None, head: str | None) -> None:
    assert found(base, head) == ()


def test_every_code_that_is_found_has_a_meaning() -> None:
    assert {one.code for one in found(GCC_12, CLANG)} <= CONFOUNDERS.keys()


def configured(options: dict[str, str] | None, config_sha256: str | None = None) -> KernelIdentity:
    values = None if options is None else tuple(Setting(name=n, value=v) for n, v in options.items())
    return structs.replace(_KERNEL, image_sha256="i", configuration=values, config_sha256=config_sha256)


def test_options_that_differ_are_named_where_both_configurations_are_known() -> None:
    base = configured({"preemption": "PREEMPT_VOLUNTARY", "KSM": "y"})
    head = configured({"preemption": "PREEMPT_LAZY", "KSM": "y"})
    difference = Confounder(code="configuration", name="preemption", base="PREEMPT_VOLUNTARY", head="PREEMPT_LAZY")
    assert confounders(base, head) == (difference,)
    assert confounders(base, base) == ()


@pytest.mark.parametrize(
    ("base", "head", "values"),
    [
        (configured({"KSM": "y"}, "a" * 64), configured(None), ("known", None)),
        (configured(None, "a" * 64), configured(None, "b" * 64), (None, None)),
        (configured(None), configured(None), (None, None)),
    ],
)
def test_a_configuration_that_is_not_known_is_said_not_to_be(
    base: KernelIdentity, head: KernelIdentity, values: tuple[str | None, str | None]
) -> None:
    assert confounders(base, head) == (Confounder(code="configuration", base=values[0], head=values[1]),)


def test_one_file_and_kernels_of_imported_results_are_not_worth_a_word() -> None:
    assert confounders(configured(None, "a" * 64), configured(None, "a" * 64)) == ()
    assert confounders(_KERNEL, _KERNEL) == ()


@pytest.mark.parametrize(("image", "found"), [("1", [("parameters", "none", "init_on_alloc=1")]), ("0", [])])
def test_parameters_of_one_side_are_named_unless_they_are_the_comparison(
    image: str, found: list[tuple[str, str, str]]
) -> None:
    base, head = evidence("6.16"), evidence("6.17")
    cell = structs.replace(head.cell, cmdline="init_on_alloc=1")
    head = structs.replace(head, cell=cell, kernel=structs.replace(head.kernel, image_sha256=image))
    named = [one for one in _confounders(base, head) if one.code != "configuration"]
    assert [(one.code, one.base, one.head) for one in named] == found
    assert {one.code for one in named} <= CONFOUNDERS.keys()
    assert _confounders(base, structs.replace(head, cell=base.cell)) == _confounders(base, head)[: -len(found) or None]

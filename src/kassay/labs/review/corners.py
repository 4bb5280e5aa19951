# SPDX-License-Identifier: GPL-2.0-only
"""Corners: the compilers, configurations and architectures in which a series may do something else."""

from msgspec import structs

from kassay.errors import BadInput
from kassay.model.build import BuildRef, parse_build
from kassay.model.kernel import parse_ref, with_build
from kassay.supply.arches import arches
from kassay.supply.building.compilers import check_name
from kassay.supply.building.config import check_configuration

COMPILERS = ("gcc-12", "gcc-13", "gcc-14", "gcc-15", "clang-14", "clang-16", "clang-19")
CONFIGURATIONS = (
    "config=distro",
    "config=lab+CONFIG_PREEMPT=n+CONFIG_PREEMPT_LAZY=y",
    "config=lab+CONFIG_CGROUPS=y+CONFIG_MEMCG=y",
    "config=lab+CONFIG_CPU_MITIGATIONS=y+CONFIG_MITIGATION_RETPOLINE=y+CONFIG_MITIGATION_RETHUNK=y",
    "config=lab+CONFIG_PARAVIRT=y",
    "config=lab+CONFIG_INIT_ON_ALLOC_DEFAULT_ON=y+CONFIG_HARDENED_USERCOPY=y",
    "config=lab+CONFIG_TRANSPARENT_HUGEPAGE=n+CONFIG_TRANSPARENT_HUGEPAGE_MADVISE=n",
)
"""The distribution's configuration, and the lab's with one group changed: preemption, memory cgroups, mitigations,
paravirtualisation, hardening, huge pages."""


def all_corners(arch: str) -> tuple[str, ...]:
    """Every corner, those that are built soonest first."""
    others = (f"arch={name}" for name in arches() if name != arch)
    return (*(f"cc={name}" for name in COMPILERS), *CONFIGURATIONS[1:], *others, CONFIGURATIONS[0])


def check_corner(corner: str, arch: str) -> None:
    """Raises BadInput for a corner that names nothing that can be built."""
    name, equals, value = corner.partition("=")
    if name not in ("cc", "config", "arch") or not equals or not value:
        raise BadInput(
            f"--corner {corner}: not a corner",
            "write cc=gcc-14, config=distro, config=lab+CONFIG_PARAVIRT=y or arch=arm64",
        )
    if name == "cc":
        check_name(value, arch)
    if name == "config":
        check_configuration(_configured(BuildRef(tree=""), value))
    if name == "arch" and value not in arches():
        raise BadInput(f"--corner {corner}: unknown architecture", f"known: {', '.join(arches())}")


def otherwise(ref: str, option: str, arch: str, other_arch: str) -> str:
    """The reference, built with another compiler or configuration, or for another architecture."""
    parsed = parse_ref(ref, arch)
    if arch != other_arch:
        return ref
    name, _, value = option.partition("=")
    build = parse_build(parsed.locator)
    if name == "cc":
        return with_build(parsed, structs.replace(build, cc=value))
    return with_build(parsed, _configured(build, value))


def _configured(build: BuildRef, value: str) -> BuildRef:
    """The build with another configuration, CONFIG+FRAGMENT+FRAGMENT."""
    base, *fragments = value.split("+")
    return structs.replace(build, config=base or build.config, fragments=tuple(fragments))

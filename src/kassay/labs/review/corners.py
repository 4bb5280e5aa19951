# SPDX-License-Identifier: GPL-2.0-only
"""Corners: the compilers, configurations and architectures in which a series may do something else."""

from msgspec import structs

from kassay.errors import BadInput
from kassay.model.build import BuildRef, parse_build
from kassay.model.kernel import parse_ref, with_build
from kassay.supply.arches import arches
from kassay.supply.building.compilers import check_name
from kassay.supply.building.config import check_configuration

COMPILERS = ("gcc-12", "gcc-13", "gcc-14", "gcc-15", "clang-16", "clang-18", "clang-19")
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


def parts_of(corner: str) -> dict[str, str]:
    """The parts of cc=clang-19,config=distro by name."""
    return {name: value for name, _, value in (part.partition("=") for part in corner.split(","))}


def check_corner(corner: str, arch: str) -> None:
    """Raises BadInput for a corner that names nothing that can be built."""
    parts = parts_of(corner)
    if not all(parts.values()) or not parts.keys() <= {"cc", "config", "arch"}:
        raise BadInput(
            f"--corner {corner}: not a corner",
            "write cc=gcc-14, config=distro, config=lab+CONFIG_PARAVIRT=y, arch=arm64, or several with commas",
        )
    if "arch" in parts and parts["arch"] not in arches():
        raise BadInput(f"--corner {corner}: unknown architecture", f"known: {', '.join(arches())}")
    if "cc" in parts:
        check_name(parts["cc"], parts.get("arch", arch))
    if "config" in parts:
        check_configuration(_configured(BuildRef(tree=""), parts["config"]))


def otherwise(ref: str, corner: str, arch: str) -> str:
    """The reference of an architecture, built as a corner says."""
    parts, parsed = parts_of(corner), parse_ref(ref, arch)
    build = parse_build(parsed.locator)
    if "cc" in parts:
        build = structs.replace(build, cc=parts["cc"])
    if "config" in parts:
        build = _configured(build, parts["config"])
    return with_build(parsed, build)


def _configured(build: BuildRef, value: str) -> BuildRef:
    """The build with another configuration, CONFIG+FRAGMENT+FRAGMENT."""
    base, *fragments = value.split("+")
    return structs.replace(build, config=base or build.config, fragments=tuple(fragments))

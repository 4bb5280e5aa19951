# SPDX-License-Identifier: GPL-2.0-only
"""release:6.12.5,tarball=PATH: a release of the kernel, built here from its signed tarball."""

from msgspec import structs

from kassay.model.build import build_text
from kassay.model.kernel import KernelArtifact, KernelRef
from kassay.model.kinds.release import parse_release
from kassay.model.progress import Tell
from kassay.supply.building.builder import check_options
from kassay.supply.building.release_source import check_release, release_tree
from kassay.supply.kernels._source import KernelSource
from kassay.supply.kernels.build import SOURCE as BUILDS


class ReleaseKernels(KernelSource):
    """The tarball becomes a tree of the source store; the rest is a build: of that tree."""

    name = "release"
    summary = "a release built here from its signed tarball: release:6.12.5,tarball=PATH (docs/reference/kernels.md)"

    def check(self, ref: KernelRef, flavour: str, tell: Tell) -> None:
        """See KernelSource."""
        release = parse_release(ref.locator)
        check_release(release)
        check_options(release.build, ref.arch)

    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """See KernelSource; flavour means nothing here."""
        return BUILDS.resolve(_as_build(ref, tell), flavour, tell)

    def pinned(self, ref: KernelRef, tell: Tell) -> str:
        """See KernelSource: the build of the tree that the tarball has."""
        return f"{ref.text.strip().partition('release:')[0]}build:{_as_build(ref, tell).locator}"


def _as_build(ref: KernelRef, tell: Tell) -> KernelRef:
    """The same reference with the locator of a build."""
    release = parse_release(ref.locator)
    check_release(release)
    build = structs.replace(release.build, pin=release_tree(release, tell))
    return structs.replace(ref, kind="build", locator=build_text(build).removeprefix("build:"))


SOURCE = ReleaseKernels()

# SPDX-License-Identifier: GPL-2.0-only
"""build:TREE@REV+PATCH: a kernel that kassay builds from sources."""

from pathlib import PurePath

from msgspec import structs

from kassay.errors import BadInput
from kassay.model.build import GRAMMAR, BuildRef, build_text, parse_build
from kassay.model.kinds import Found, Kind


def _paths(locator: str) -> tuple[str, ...]:
    build = parse_build(locator)
    words = (build.tree, *build.patches, build.cc, build.config, *build.fragments)
    return tuple(form for word in words for form in (word, build_text(BuildRef(tree=word)).removeprefix("build:")))


def _short(locator: str, configured: bool) -> str:
    """ "7.3 + fix.patch, clang-18" for debian-source:7.3+/tmp/fix.patch,cc=clang-18; configured: with the names of its
    configuration and fragments."""
    try:
        build = parse_build(locator)
    except BadInput:
        return f"build:{locator}"
    tree = PurePath(build.tree.removeprefix("debian-source:")).name or build.tree
    tree += f"@{build.revision}" if build.revision else ""
    names = [tree, *(PurePath(patch).stem for patch in build.patches)]
    compiler = (build.cc,) if build.cc != "gcc" else ()
    options = (PurePath(build.config).name, *(PurePath(part).name for part in build.fragments)) if configured else ()
    return ", ".join((" + ".join(names), *compiler, *options))


def _pinned(locator: str, kernel: Found) -> str | None:
    if kernel.build is None:
        return None
    return build_text(structs.replace(parse_build(locator), pin=kernel.build.tree))


KIND = Kind(name="build", order=30, grammar=GRAMMAR, check=parse_build, paths=_paths, short=_short, pinned=_pinned)

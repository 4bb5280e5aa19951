# SPDX-License-Identifier: GPL-2.0-only
"""release:6.12.5,tarball=PATH: a release of the kernel, built from its signed tarball."""

import re
from typing import NamedTuple
from urllib.parse import unquote

from msgspec import structs

from kassay.errors import BadInput
from kassay.model.build import BuildRef, build_text, parse_build
from kassay.model.kinds import Found, Kind

GRAMMAR = (
    "release:6.12.5,tarball=PATH or release:6.12.5,mirror=URL, then [,signature=PATH][,key=FILE] "
    "and the options of build:"
)
_VERSION = re.compile(r"\d+\.\d+(\.\d+)?(-rc\d+)?")
_OWN = ("tarball", "mirror", "signature", "key")


class Release(NamedTuple):
    """A release in its parts; "" for a part that was not named."""

    version: str
    build: BuildRef
    """Build of the sources that the tarball has."""
    tarball: str = ""
    mirror: str = ""
    signature: str = ""
    key: str = ""


def parse_release(locator: str) -> Release:
    """Reads what stands after "release:". Raises BadInput. The characters , and % of a path are written %2C and %25."""
    version, *options = locator.split(",")
    own: dict[str, str] = {}
    others = []
    for option in options:
        name, _, value = option.partition("=")
        if name not in _OWN:
            others.append(option)
        elif not value or name in own:
            what = "given twice" if name in own else "is empty"
            raise BadInput(f"kernel 'release:{locator}': {name}= {what}", f"write {GRAMMAR}")
        else:
            own[name] = unquote(value)
    if not _VERSION.fullmatch(version):
        raise BadInput(f"kernel 'release:{locator}': {version!r} is no release", f"write {GRAMMAR}")
    if ("tarball" in own) == ("mirror" in own):
        what = "both a tarball and a mirror" if "tarball" in own else "neither a tarball nor a mirror"
        raise BadInput(f"kernel 'release:{locator}': names {what}", f"write {GRAMMAR}")
    build = parse_build(",".join(("x", *others)))
    return Release(version, structs.replace(build, tree=f"release:{version}"), **own)


def _paths(locator: str) -> tuple[str, ...]:
    release = parse_release(locator)
    build = release.build
    words = (release.tarball, release.signature, release.key, build.cc, build.config, *build.fragments)
    return tuple(filter(None, words))


def _pinned(locator: str, kernel: Found) -> str | None:
    if kernel.build is None:
        return None
    return build_text(structs.replace(parse_release(locator).build, pin=kernel.build.tree))


KIND = Kind(
    name="release",
    order=35,
    grammar=GRAMMAR,
    check=parse_release,
    paths=_paths,
    short=lambda locator, _: locator.partition(",")[0],
    pinned=_pinned,
)

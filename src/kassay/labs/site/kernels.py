# SPDX-License-Identifier: GPL-2.0-only
"""Columns of the matrix: kernels of the archive by release, and builds of a git tree by commit."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from msgspec import structs

from kassay.labs.site.model import SiteKernel
from kassay.labs.site.rows import Comparison
from kassay.model.build import build_text
from kassay.model.kernel import name_and_version, parse_ref
from kassay.tools.history.archive import Archive
from kassay.tools.history.development import ancestors_of_builds, build_of, places_of_builds
from kassay.tools.history.query import release_order, stored_kernels
from kassay.tools.history.records import StoredKernel

_UPSTREAM = re.compile(r"\d+\.\d+(?:\.\d+)?(?:[-~]?rc\d+)?")
_COMMIT_DIGITS = 12
NARROWING = "narrow-"
"""Beginning of the names of experiments that narrow a step. A kernel of these alone is no column, however many steps
were narrowed to it: the change stays between the kernels that a reader follows."""


def site_kernels(archive: Archive, found: Sequence[Comparison]) -> dict[int, SiteKernel]:
    """Kernels that a comparison has, by their number in the history; in the order of the columns. Patched builds and
    kernels that no reference names are left out."""
    stored = stored_kernels(archive)
    dates = archive.rows("SELECT kernel, strftime(min(first_utc), '%Y-%m-%dT%H:%M:%SZ') FROM t_points GROUP BY kernel")
    first: dict[int, str] = dict(dates)
    cells = Counter(_measured(found))
    followed = _followed(archive, found)
    compared = {number for comparison in found for number in (comparison.base, comparison.head)}
    used = [number for number in stored if number in compared and _line(stored[number])]
    keys = _keys(stored[number] for number in used)
    places = places_of_builds(build for number in used if (build := build_of(stored[number])) is not None)
    ordered = sorted(zip(used, keys, strict=True), key=lambda pair: _order(stored[pair[0]], pair[0], places))
    apart = _apart([(stored[number], key) for number, key in ordered])
    return {
        number: SiteKernel(
            key=key, name=key, ref=_public(stored[number]), arch=_line(stored[number]),
            release=stored[number].release or "",
            compiler=name_and_version(stored[number].compiler or ""),
            config_sha256=stored[number].config_sha256 or "", image_sha256=stored[number].image_sha256 or "",
            measured_utc=first.get(number) or "", problem="" if cells[number] else "no run of it succeeded",
            column=number in followed or not cells[number], apart=apart.get(stored[number].id, ()),
        )
        for number, key in ordered
    }  # fmt: skip


def _apart(ordered: Sequence[tuple[StoredKernel, str]]) -> dict[str, tuple[str, ...]]:
    """Keys of the builds that stand before a build of their tree and are no ancestors of it, by its id."""
    built = [(kernel.id, key, build) for kernel, key in ordered if (build := build_of(kernel)) is not None]
    behind = ancestors_of_builds(build for *_, build in built)
    places = [(name, key, (build.tree, build.revision)) for name, key, build in built]
    known = [one for one in places if one[2] in behind]
    return {
        name: tuple(key for _, key, other in known[:at] if other[0] == own[0] and other not in behind[own])
        for at, (name, _, own) in enumerate(known)
    }


def _followed(archive: Archive, found: Iterable[Comparison]) -> set[int]:
    """Kernels of a comparison that did not only narrow a step."""
    names: dict[int, str] = dict(archive.rows("SELECT experiment, name FROM t_experiments"))
    return {
        kernel for one in found if not names[one.experiment].startswith(NARROWING) for kernel in (one.base, one.head)
    }


def _measured(found: Iterable[Comparison]) -> Iterable[int]:
    """Each kernel once for each series that it has a value of."""
    pairs = {(c.series, c.base) for c in found if c.base_value is not None}
    pairs |= {(c.series, c.head) for c in found if c.head_value is not None}
    return (kernel for _, kernel in pairs)


def _public(kernel: StoredKernel) -> str:
    """Reference of a kernel without the paths of the host that measured it: a git tree and files have their name."""
    build = build_of(kernel)
    if build is None:
        return kernel.ref
    config, *fragments = (PurePath(part).name for part in (build.config, *build.fragments))
    tree, cc = PurePath(build.tree).name, PurePath(build.cc).name
    return build_text(structs.replace(build, tree=tree, cc=cc, config=config, fragments=tuple(fragments), pin=""))


def _line(kernel: StoredKernel) -> str:
    """Line of a kernel: its architecture; for a build with the name of its tree; "" for one that is no column."""
    build = build_of(kernel)
    if build is not None:
        return "" if build.patches or not build.revision else f"{kernel.arch}-{PurePath(build.tree).name}"
    return (kernel.arch or "") if kernel.ref and parse_ref(kernel.ref).kind == "debian" else ""


def _keys(kernels: Iterable[StoredKernel]) -> list[str]:
    """A key for each. A later kernel of the same release has its package's version, so that the first keeps its
    address."""
    taken: set[tuple[str, str]] = set()
    keys = []
    for kernel in kernels:
        build = build_of(kernel)
        version = kernel.ref.partition(":")[2] or kernel.release or ""
        match = _UPSTREAM.match(version)
        key = build.revision[:_COMMIT_DIGITS] if build else match[0] if match else kernel.name
        if (_line(kernel), key) in taken:
            key = kernel.ref.partition(":")[2] if build is None else f"{key}-{kernel.id[:6]}"
        taken.add((_line(kernel), key))
        keys.append(key)
    return keys


def _order(
    kernel: StoredKernel, number: int, places: Mapping[tuple[str, str], int]
) -> tuple[bool, str, tuple[int, ...], int, str, int]:
    """Place of a kernel: by line, x86_64 first, then by release or by its commit."""
    build = build_of(kernel)
    at = places.get((build.tree, build.revision), 0) if build else 0
    line = _line(kernel)
    return line != "x86_64", line, () if build else release_order(kernel.release) or (), at, kernel.ref, number

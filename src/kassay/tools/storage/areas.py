# SPDX-License-Identifier: GPL-2.0-only
"""The kinds of things in the cache: where they lie, who needs them, and whether they can be had again."""

from fnmatch import fnmatchcase
from typing import NamedTuple

FETCH, MAKE, NEVER = "fetched", "made", "no"
"""How a thing can be had again: from the network, from what is on this host, or not at all as far as kassay knows."""
LEFTOVERS, OTHER = "leftovers", "other"


class Area(NamedTuple):
    """One kind."""

    kind: str
    places: tuple[str, ...]
    """Patterns of paths below the cache, as of a shell. Each path that fits is an entry of its own."""
    holds: str
    needed_by: str
    again: str
    """FETCH, MAKE or NEVER; of kernels, packages and trees each entry has its own."""


AREAS = (
    Area("kernels", ("kernels/*",), "images, symbols and configurations of kernels", "runs with the kernel", NEVER),
    Area("packages", ("packages/*/*.deb", "packages/*/unsigned/*", "packages/source/*"), "packages of the archive",
         "modules, images and sources that are made anew", NEVER),
    Area("lists", ("apt/*", "archive/*"), "lists of the archive's packages", "finding kernels and packages", FETCH),
    Area("sources", ("sources/git",), "sources of kernels, with what your trees held when they were built",
         "build: references, run directories that resume", NEVER),
    Area("trees", ("sources/trees/*", "sources/functions/*"), "unpacked sources", "builds", NEVER),
    Area("builds", ("build/src-*", "build/logs/*", "ccache", "objects/*"), "directories, objects and logs of builds",
         "the next build, which is quicker with them", MAKE),
    Area("compilers", ("compilers/*",), "compilers of the archive", "builds with cc=", FETCH),
    Area("programs", ("guest/*/*", "plugin/*", "core/*", "pcp/*", "probes/*", "here/*"),
         "compiled programs: of the guest, this host, the QEMU plugin, the simulators", "every run", MAKE),
    Area("modules", ("modules/*", "module-trees/*"), "modules of kernels", "workloads that need a module", MAKE),
    Area("symbols", ("symbols/*", "debug-symbols/*"), "symbols and line tables of kernels", "profiles", MAKE),
    Area("images", ("images/*",), "root file systems of applications", "runs of applications", MAKE),
    Area("snapshots", ("snapshots/*",), "booted machines", "runs with --boot snapshot", MAKE),
    Area("baselines", ("baselines/*",), "runs of the base of `kassay ci`", "the next range with the same base", MAKE),
    Area("results", ("derived/*", "history/*", "pace/*", "replays/*", "host/*", "travelled/*", "bundled/*"),
         "results of computations, files of other hosts", "the same question, which is answered sooner", MAKE),
    Area("inputs", ("refs/*", "programs/*", "fragments/*", "configurations/*"),
         "names of kernels, your programs' sources, configurations", "run directories that resume", NEVER),
    Area(LEFTOVERS, ("unpacking/*", "worker/*", "lines/*", "sources/releases/*"), "what killed processes left",
         "nothing", MAKE),
    Area(OTHER, (), "files that kassay does not know", "not known", NEVER),
)  # fmt: skip
_BY_KIND = {area.kind: area for area in AREAS}


def area_named(kind: str) -> Area:
    """The area of a kind."""
    return _BY_KIND[kind]


def kinds() -> tuple[str, ...]:
    """Names of all kinds, in the order of the table."""
    return tuple(_BY_KIND)


def is_lock(name: str) -> bool:
    """True for the name of a lock file, which is empty and stays."""
    return name == "lock" or name.endswith(".lock")


def kind_of(path: str) -> str | None:
    """The kind of a path below the cache; None for a directory that only leads to entries."""
    words = path.split("/")
    if words[-1].startswith("."):
        return LEFTOVERS
    leads = False
    for area in AREAS:
        for place in area.places:
            parts = place.split("/")
            if all(map(fnmatchcase, words, parts)):
                if len(words) == len(parts):
                    return area.kind
                leads = leads or len(words) < len(parts)
    return None if leads else OTHER

# SPDX-License-Identifier: GPL-2.0-only
"""The options of `kassay bisect`, as one record."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kassay.commands._with_options import option

_search = partial(option, rich_help_panel="Search")


@dataclass(frozen=True, kw_only=True)
class Searching:
    """The options of a search, without those of its measurements."""

    good: str = _search("", "KERNEL", "Kernel without the change, e.g. debian:6.12 or build:TREE@v6.12.")
    bad: str = _search("", "KERNEL", "Kernel with the change: a later one, or the same sources with another config=.")
    every: str = _search(
        "version", "version|series", "Archive kernels to consider: every version, or the newest version of each series."
    )
    steps: str = _search("all", "all|largest", "Changes to find: all of them, or the largest.")
    compilers: str = _search(
        "",
        "CC,CC",
        "Compilers by which both of two configurations are built first, to see whether the change depends on them.",
    )
    error_rate: float = _search(
        0.01, "SHARE", "Accepted probability that the named commit is wrong. Only where time is measured."
    )
    one_step: bool = _search(
        False,
        "",
        "Measure --head only, for `git bisect run`. The exit status is 0 for good, 1 for bad, 125 for skip, "
        "and 128 or more to stop.",
        "--step",
    )
    head: str = _search(
        "build:.", "KERNEL", "Kernel to measure with --step. The default is the tree in the current directory."
    )
    replay: Path | None = _search(
        None, "DIR", "Repeat the decisions of the search in DIR from its log. Measures nothing.", show_default=False
    )

# SPDX-License-Identifier: GPL-2.0-only
"""A patch series from files to kernels to an experiment, row by row; what cannot be built stays as a row."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import structs

from kassay.effects.files import read_record, write_atomic
from kassay.errors import BadInput, NotBuilt
from kassay.journal.directory import resumed
from kassay.model.build import BuildRef, BuildSource, parse_build
from kassay.model.experiment import Experiment, KernelUse
from kassay.model.kernel import KernelRef, parse_ref, with_build
from kassay.model.patch import SeriesPatch
from kassay.model.progress import Progress, Tell
from kassay.model.records import to_json
from kassay.model.series import ROWS, Series, SeriesRow
from kassay.supply import kernels
from kassay.supply.building import git
from kassay.supply.building.config import added_symbols, for_sources
from kassay.supply.building.patches import read_patches
from kassay.supply.building.source import note, source_tree
from kassay.tools.series.variants import BASE, WHOLE, Asked, failed, patch_records, variants

Changed = Callable[[str, str], Sequence[str]]

# A header pulls in what includes it. Of 7.3's lab configuration a change to mm/internal.h rebuilds some 40 files,
# one to a header under include/ some hundreds: guesses of this size decide better than counting each file once.
_HEADER, _COMMON_HEADER, _BUILD_FILE = 40, 400, 400


def nearest_first(trees: Sequence[str], changed: Changed) -> tuple[str, ...]:
    """The trees in an order to build: after each one the tree for which the fewest files are rebuilt. changed: paths
    that differ between two trees."""
    left = list(dict.fromkeys(trees))
    ordered = left[:1]
    while len(ordered) < len(left):
        last = ordered[-1]
        others = [tree for tree in left if tree not in ordered]
        ordered.append(min(others, key=lambda tree: cost(changed(last, tree))))
    return tuple(ordered)


def cost(paths: Sequence[str]) -> int:
    """About how many files a change of these rebuilds."""
    return sum(_weight(path) for path in paths)


def _weight(path: str) -> int:
    if path.endswith(".h"):
        return _COMMON_HEADER if path.startswith("include/") or "/include/" in path else _HEADER
    name = path.rpartition("/")[2]
    if name.startswith(("Makefile", "Kconfig", "Kbuild")):
        return _BUILD_FILE
    return 1 if path.endswith((".c", ".S")) else 0


Build = Callable[[KernelRef], str]
"""Builds what a reference names; the image's sha256. Raises NotBuilt."""


def ends_of(base: str, patches: Path, arch: str) -> tuple[str, str]:
    """The references of base and of base with all patches; nothing is read.

    Raises BadInput for a base without sources.
    """
    ref = _sources(base, arch)
    build = parse_build(ref.locator)
    return base, with_build(ref, structs.replace(build, patches=(*build.patches, str(patches)), pin=""))


def _sources(base: str, arch: str) -> KernelRef:
    ref = parse_ref(base, arch)
    if ref.kind != "build":
        raise BadInput(
            f"--base {base}: a series needs sources", "write --base build:TREE@REV or build:debian-source:7.3"
        )
    return ref


def rows_of(base: str, patches: Path, asked: Asked, arch: str, tell: Tell) -> Series:
    """Every row as a source tree. base: a build: reference. Raises BadInput, or NotBuilt where the series does not
    apply to base; a row that does not apply stays in the table."""
    ref = _sources(base, arch)
    build = parse_build(ref.locator)
    read = read_patches(patches)
    tree, source = source_tree(build, tell)
    made = variants(tree, read, asked, tell)
    ends = tuple(row.tree for row in made if row.name in (BASE, WHOLE) and row.tree is not None)
    rows = tuple(_named(row, ref, build, ends) for row in made)
    listed = patch_records(read)
    for row in rows:
        _note(row, source, listed)
    return Series(base=base, source=str(patches), patches=listed, rows=rows)


def built(series: Series, arch: str, tell: Tell, build: Build) -> Series:
    """The series with every row's image or first error. Nothing is built twice, and the order rebuilds little."""
    owed = {row.tree: row for row in series.rows if row.outcome == "measured" and row.tree is not None}
    order = nearest_first(tuple(owed), cache(git.changed))
    built_rows: dict[str, SeriesRow] = {}
    for number, tree in enumerate(order, 1):
        row = owed[tree]
        tell(Progress(stage="series", subject=row.name, text=f"kernel {number} of {len(order)}: {row.title}",
                      done=(number - 1) / len(order)))  # fmt: skip
        built_rows[row.name] = _built(row, parse_ref(row.ref, arch), build)
        if built_rows[row.name].outcome != "measured" and row.name == BASE:  # the first tree in the order
            raise NotBuilt(f"base does not build: {built_rows[BASE].detail}", f"make {series.base} build first")
    return structs.replace(series, rows=_same_images([built_rows.get(row.name, row) for row in series.rows]))


def image_of(flavour: str, tell: Tell) -> Build:
    """Builds into the kernel store."""
    return lambda ref: kernels.fetch((ref,), flavour, tell)[0].identity.image_sha256 or ""


def placed(series: Series) -> tuple[tuple[SeriesRow, int | None], ...]:
    """The rows that are kernels of the experiment, each with the index of the one it is compared with.

    Where that one has no kernel, the comparison is with what it was to be compared with itself, in the end with base.
    """
    by_name = {row.name: row for row in series.rows}
    measured = [row for row in series.rows if row.outcome == "measured"]
    index_of = {row.name: index for index, row in enumerate(measured)}
    return tuple((row, index_of.get(stands_for(row, by_name))) for row in measured)


def stands_for(row: SeriesRow, by_name: Mapping[str, SeriesRow]) -> str:
    """The name of the measured row that a row is compared with; "" for base."""
    against = by_name.get(row.against)
    while against is not None and against.outcome != "measured":
        against = by_name.get(against.same_as or against.against)
    return "" if against is None else against.name


def experiment_of(series: Series, template: Experiment) -> Experiment:
    """The experiment whose kernels are the rows; everything else as in the template. Raises BadInput where all rows
    are one kernel."""
    placed_rows = placed(series)
    if len(placed_rows) < 2:
        off = _off(series, template.arch)
        raise BadInput(f"{series.base}: no row of the series is another kernel than base: {_why(series)}",
                       f"it gives the same image, so there is nothing to measure{off}")  # fmt: skip
    first, last = template.kernels[0].cmdline, template.kernels[-1].cmdline
    uses = tuple(
        KernelUse(ref=row.ref, cmdline=first if row.name == BASE else last, name=row.name, against=against)
        for row, against in placed_rows
    )
    return structs.replace(template, kernels=uses)


def keep(directory: Path, series: Series, experiment: Experiment) -> None:
    """Writes the rows of an experiment into its run directory, for its report. Raises BadInput if the directory holds
    another experiment."""
    resumed(directory, experiment)
    write_atomic(directory / ROWS, to_json(series))


def read_rows(directory: Path) -> Series | None:
    """The series that keep() wrote; None if there is none. Raises BadInput if the file is damaged."""
    try:
        return read_record(directory / ROWS, Series, "repeat the `kassay series` command: it writes it anew")
    except FileNotFoundError:
        return None


def _named(row: SeriesRow, ref: KernelRef, build: BuildRef, ends: Sequence[str]) -> SeriesRow:
    """The row with the reference that names its tree alone, without patches. ends: the trees of base and the whole."""
    if row.tree is None:
        return row
    build = for_sources(build, row.tree, ends, ref.arch)
    return structs.replace(row, ref=with_build(ref, structs.replace(build, patches=(), pin=row.tree)))


def _note(row: SeriesRow, base: BuildSource, patches: Sequence[SeriesPatch]) -> None:
    """Note the contents of a row's tree in the words that reports use for its kernel."""
    if row.tree is None or row.tree == base.tree or row.same_as:
        return
    subjects = [patch.subject for patch in patches if patch.number in row.patches]
    part = (row.title,) if row.kind in ("hunk", "annotation") else ()
    note(structs.replace(base, patches=(*base.patches, *subjects, *part), tree=row.tree))


def _built(row: SeriesRow, ref: KernelRef, build: Build) -> SeriesRow:
    try:
        return structs.replace(row, image_sha256=build(ref))
    except NotBuilt as error:
        return failed(row, "not-built", error)


def _same_images(rows: Sequence[SeriesRow]) -> tuple[SeriesRow, ...]:
    """Marks rows whose image an earlier row has, and rows whose source an earlier row built or failed to build."""
    marked: dict[str, SeriesRow] = {}
    first: dict[str, str] = {}
    for row in rows:
        marked[row.name] = result = _same(row, marked.get(row.same_as), first)
        if result.outcome == "measured" and result.image_sha256 is not None:
            first[result.image_sha256] = result.name
    return tuple(marked.values())


def _same(row: SeriesRow, source: SeriesRow | None, first: Mapping[str, str]) -> SeriesRow:
    """source: the row with the same source. first: the first row with each image."""
    if source is not None and source.outcome == "not-built":
        return structs.replace(row, outcome="not-built", detail=source.detail, same_as="")
    if source is not None:
        return structs.replace(row, image_sha256=source.image_sha256, same_as=source.same_as or source.name)
    if row.image_sha256 is not None and row.image_sha256 in first:
        return structs.replace(row, outcome="same-image", same_as=first[row.image_sha256])
    return row


def ends_in(series: Series) -> tuple[str, str]:
    """The trees of base and of the whole series."""
    trees = {row.name: row.tree or "" for row in series.rows}
    return trees[BASE], trees[WHOLE]


def _off(series: Series, arch: str) -> str:
    """Words on symbols of the configuration that the series adds and nobody asked for; "" without any."""
    base, whole = ends_in(series)
    build = parse_build(parse_ref(series.base, arch).locator)
    asked = {fragment.partition("=")[0] for fragment in build.fragments}
    symbols = [symbol for symbol in added_symbols(base, whole, arch) if symbol not in asked]
    config = "+".join((build.config, *build.fragments, *(f"{symbol}=y" for symbol in symbols)))
    return f". It adds {', '.join(symbols)}: try --base REF,config={config}" if symbols else ""


def _why(series: Series) -> str:
    others = [row for row in series.rows if row.name != BASE]
    return ", ".join(f"{row.name} {row.outcome}{f' ({row.detail})' if row.detail else ''}" for row in others)

# SPDX-License-Identifier: GPL-2.0-only
"""The rows of a series as source trees: base, patch by patch, each one left out or alone, hunks, annotations."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from msgspec import structs

from kassay.errors import NotBuilt
from kassay.model.patch import SeriesPatch
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record
from kassay.model.series import SeriesRow
from kassay.supply.building import git
from kassay.supply.building.hunks import FileDiff, Hunk, hunks_of, place_of, text_of
from kassay.supply.building.patches import Patch, steps
from kassay.tools.series.annotations import Annotation, added, put_on, taken_back

BASE, WHOLE = "base", "whole"


class Asked(Record, frozen=True, kw_only=True):
    """Rows to make besides base, the cumulative rows and the rows without one patch."""

    alone: bool = False
    hunks: bool = False
    annotations: bool = False


_Make = Callable[[], str | None]


def patch_records(patches: Sequence[Patch]) -> tuple[SeriesPatch, ...]:
    """The patches as a report has them."""
    return tuple(
        SeriesPatch(number=i, subject=p.subject, author=p.author, sha256=p.sha256, files=p.files, hunks=p.hunks,
                    changes=p.changes)
        for i, p in enumerate(patches, 1)
    )  # fmt: skip


def variants(base: str, patches: Sequence[Patch], asked: Asked, tell: Tell) -> tuple[SeriesRow, ...]:
    """Every row with its tree; outcome is "measured" where there is something to build, else "same-source" (the first
    row with that tree has it) or "not-applied". Raises NotBuilt when the series itself does not apply."""
    trees = steps(base, patches)
    rows: list[SeriesRow] = []
    row_of_tree: dict[str, str] = {}
    makers = list(_rows(trees, patches, asked))
    for number, (row, make) in enumerate(makers, 1):
        tell(Progress(stage="series", subject=row.name, text=row.title, done=number / len(makers)))
        result = _with_tree(row, make)
        if result.tree in row_of_tree:
            result = structs.replace(result, outcome="same-source", same_as=row_of_tree[result.tree])
        elif result.tree is not None:
            row_of_tree[result.tree] = row.name
        rows.append(result)
    return tuple(rows)


def _with_tree(row: SeriesRow, make: _Make) -> SeriesRow:
    try:
        tree = make()
    except NotBuilt as error:
        return failed(row, "not-applied", error)
    if tree is None:
        return structs.replace(row, outcome="not-applied", detail="base has no such line to put it on")
    return structs.replace(row, tree=tree)


def failed(row: SeriesRow, outcome: str, error: NotBuilt) -> SeriesRow:
    """The row that could not be made, with the error in one line."""
    return structs.replace(row, outcome=outcome, detail=" | ".join(map(str.strip, error.what.splitlines())))


def _rows(trees: Sequence[str], patches: Sequence[Patch], asked: Asked) -> Iterator[tuple[SeriesRow, _Make]]:
    """trees: of base, and after each patch."""
    base, whole = trees[0], trees[-1]
    every = tuple(range(1, len(patches) + 1))
    yield _row(BASE, "base", "nothing applied", (), ""), lambda: base
    before = BASE
    for n in every:
        name = WHOLE if n == every[-1] else ("1" if n == 1 else f"1..{n}")
        yield _row(name, "cumulative", patches[n - 1].subject, every[:n], before), partial(trees.__getitem__, n)
        before = name
    for n in every if len(every) > 1 else ():
        others = tuple(i for i in every if i != n)
        row = _row(f"without {n}", "without", patches[n - 1].subject, others, WHOLE)
        yield row, partial(apply_difference, whole, trees[n], trees[n - 1])
    for n in every[1:] if asked.alone else ():  # the first one alone is the first cumulative row
        row = _row(f"alone {n}", "alone", patches[n - 1].subject, (n,), BASE)
        yield row, partial(apply_difference, base, trees[n - 1], trees[n])
    if asked.hunks:
        yield from _hunks(trees, patches, every)
    if asked.annotations:
        yield from _annotations(base, whole, every)


def _row(name: str, kind: str, title: str, patches: tuple[int, ...], against: str) -> SeriesRow:
    return SeriesRow(name=name, kind=kind, title=title, patches=patches, against=against, outcome="measured")


def apply_difference(onto: str, before: str, after: str) -> str:
    """`onto` with what leads from `before` to `after`, merged as `git revert` and `git cherry-pick` merge.

    Patches that touch neighbouring lines are told apart, which context alone would not do. Raises NotBuilt where both
    changed the same lines.
    """
    with git.own_index(onto) as index:
        diff = index.with_name("change.diff")  # a file: what is no UTF-8 would not come through as text
        arguments = ("diff-tree", "-r", "-p", "--full-index", "--binary", "--no-renames", f"--output={diff}")
        git.git((*arguments, before, after))
        if not diff.stat().st_size:
            return onto
        try:
            git.apply(diff, index, "--3way")
        except git.GitFailed as error:
            raise NotBuilt(f"the rest of the series changes the same lines: {_conflicts(diff, index)}") from error
        return git.written(index)


def _conflicts(diff: Path, index: Path) -> str:
    """Places at which two changes conflict: files, with the functions that are changed in them."""
    unmerged = git.git(("ls-files", "--unmerged", "-z"), index=index).split("\0")[:-1]
    paths = {line.partition("\t")[2] for line in unmerged}
    text = diff.read_bytes().decode("utf-8", "replace")
    locations = [place_of(file, hunk) for file, hunk in hunks_of(text) if file.path in paths or not paths]
    return ", ".join(dict.fromkeys(locations)) or "files that only one of them has"


def _hunks(trees: Sequence[str], patches: Sequence[Patch], every: tuple[int, ...]) -> Iterator[tuple[SeriesRow, _Make]]:
    for n, patch in enumerate(patches, 1):
        for i, (file, hunk) in enumerate(hunks_of(patch.text), 1):
            row = _row(f"without hunk {n}.{i}", "hunk", place_of(file, hunk), every, WHOLE)
            yield row, partial(_without_hunk, trees[-1], trees[n], file, hunk)


def _without_hunk(whole: str, step: str, file: FileDiff, hunk: Hunk) -> str:
    return apply_difference(whole, step, _reversed(step, file, hunk))


def _reversed(tree: str, file: FileDiff, hunk: Hunk) -> str:
    """The tree right after a patch, with one of its hunks taken back."""
    with git.own_index(tree) as index:
        diff = index.with_name("hunk.diff")
        diff.write_bytes(text_of(_plain(file), (hunk,)).encode("utf-8", "surrogateescape"))
        git.apply(diff, index, "--reverse")
        return git.written(index)


def _plain(file: FileDiff) -> FileDiff:
    """The file's diff without renames and modes, which stay as the series has them. New and deleted files are left."""
    if any(line.startswith(("new file", "deleted file")) for line in file.header):
        return file
    header = (f"diff --git a/{file.path} b/{file.path}", f"--- a/{file.path}", f"+++ b/{file.path}")
    return structs.replace(file, header=header)


def _annotations(base: str, whole: str, every: tuple[int, ...]) -> Iterator[tuple[SeriesRow, _Make]]:
    diff = git.git(("diff-tree", "-r", "-p", "--no-renames", base, whole))
    for i, annotation in enumerate(added(diff), 1):
        row = _row(f"without a{i}", "annotation", annotation.title, every, WHOLE)
        yield row, partial(_without_annotation, whole, annotation)
        alone = _row(f"only a{i}", "alone", f"{annotation.title}, alone on base", (), BASE)
        yield alone, partial(_annotated, base, whole, annotation)


def _without_annotation(whole: str, annotation: Annotation) -> str:
    return git.with_files(whole, {annotation.path: taken_back(_text(whole, annotation.path), annotation)})


def _annotated(base: str, whole: str, annotation: Annotation) -> str | None:
    before = git.read(base, annotation.path)
    text = None if before is None else put_on(_text(base, annotation.path), _text(whole, annotation.path), annotation)
    return None if text is None else git.with_files(base, {annotation.path: text})


def _text(tree: str, path: str) -> str:
    text = git.read(tree, path)
    if text is None or "\ufffd" in text:
        raise NotBuilt(f"{path}: is not UTF-8 text, so no word in it is changed")
    return text

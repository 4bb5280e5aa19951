# SPDX-License-Identifier: GPL-2.0-only
"""A review, step by step: the cheapest informative work first, and a row for whatever the budget left undone."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from msgspec import structs

import kassay
from kassay.effects import clock
from kassay.effects.files import sha256_bytes
from kassay.errors import KassayError, NotBuilt
from kassay.journal.directory import SCREEN
from kassay.labs.review import result, stages
from kassay.labs.review.budget import Budget
from kassay.labs.review.choice import chosen, neighbours, use_of
from kassay.labs.review.corners import otherwise, parts_of
from kassay.labs.review.decided import largest
from kassay.labs.review.deciding import Build, deciding
from kassay.labs.review.known import executed_names, known, known_line, uses_of
from kassay.labs.review.model import SCREENED, UNDER_WAY, Corner, KernelSide, Key, Known, Left, Previous, Review, Try
from kassay.labs.review.patch_rows import PatchRows
from kassay.labs.review.settings import setting_text
from kassay.labs.review.stages import Seen, Sides
from kassay.labs.review.thread import original_of
from kassay.model.experiment import WorkloadUse
from kassay.model.finding import CHANGES, Finding
from kassay.model.lines import NOT_COMPILED, SourceChange
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record
from kassay.model.report import Report
from kassay.model.texts import machine_text
from kassay.spec.load import suite_workloads
from kassay.supply.building.changes import FunctionOfFile, names_in_kernels
from kassay.supply.building.patches import read_mails, read_patches
from kassay.supply.building.source import kernel_version
from kassay.supply.prepare.workloads import describe_workloads

_SHOWN = 300
"""Characters of an error that are shown."""
_SPOTS = 2
"""Settings with the largest gains, and with the largest losses, that patches and corners are measured in."""


_, _NEIGHBOURS, _MEASURED = _STEPS = ("settings once", "neighbours", "measured settings")
_PLACES = (SCREEN, "neighbours", "guard")
_PATCHES, _PREVIOUS = "patch by patch", "the earlier version"
"""Names of the steps in the rows of an answer that lacks them."""
_USUAL = "the usual build"


class Wanted(Record, frozen=True, kw_only=True):
    """The question. It has everything that decides the answer, so its hash names the directory."""

    source: str
    """The series, as the user wrote it."""
    patches: str
    """Path of the patches."""
    base: str
    """Reference of the sources without the series."""
    arch: str
    suite: str
    """Suite that settings are taken from where the table of functions knows none."""
    settings: int
    """Most settings to measure."""
    corners: tuple[str, ...] = ()
    previous: str = ""
    """Path of an earlier version of the series."""
    predict: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()
    """sha256 of each patch."""


class Reviewer:
    """One review in one directory. The same directory resumes."""

    def __init__(
        self, wanted: Wanted, directory: Path, budget_s: float, command: str, tries: tuple[Try, ...], tell: Tell,
        keep: Callable[[Review], None],
    ) -> None:  # fmt: skip
        """keep: stores the answer so far, after each step."""
        self._wanted = wanted
        self._directory = directory
        self._budget = Budget(budget_s)
        self._tell = tell
        self._keep = keep
        self._seen: list[Seen] = []
        self._reports: list[Report] = []
        self._screens: list[Report] = []
        self._findings: tuple[Finding, ...] = ()
        self._built: dict[tuple[str | None, ...], str] = {}
        self._left: list[Left] = []
        self._owed: list[str] = []
        self._stored: Review | None = None
        self._command = command
        self._tries = tries
        self._longest_s = 0.0
        self._by_patch: Mapping[int, tuple[FunctionOfFile, ...]] = {}
        self._functions = frozenset[str]()

    def run(self) -> Review:
        """The whole answer. Raises BadInput and NotBuilt where there is nothing to say."""
        wanted = self._wanted
        series = PatchRows(wanted.base, Path(wanted.patches), wanted.arch, self._tell)
        self._by_patch = series.functions()
        first = self._first_answer(series)
        if series.changes_only_texts:
            version = kernel_version(series.base_tree, wanted.base)
            unbuilt = [result.unbuilt_side(ref, version) for ref in series.ends]
            return self._kept(structs.replace(self._begun(series, first, *unbuilt), same_image=True))
        sides = stages.built(*series.ends, wanted.arch, self._tell)
        review = self._begun(series, first, *map(result.kernel_side, sides.refs, sides.images))
        review = structs.replace(review, switched_off=tuple(filter(sides.lacks, series.added_symbols)))
        change = stages.source_change(sides)
        others = (*(_PREVIOUS,) * bool(wanted.previous), *wanted.corners)
        if sides.same_image or change is None:
            self._left += [Left(what=what, why="the series makes the same kernel as base") for what in others]
            return self._kept(structs.replace(review, same_image=sides.same_image))
        self._owed = [*_STEPS, *(_PATCHES,) * (len(series.patches) > 1), *others]
        review = self._guarded(self._kept(review), sides, change)
        spots = _spots(review)
        if len(series.patches) > 1 and spots:
            review = self._stepped(review, series, sides, spots)
        if wanted.previous:
            review = self._compared_with_previous(review, sides)
        for corner in wanted.corners:
            review = self._cornered(review, corner, sides, spots)
        self._owed = []
        return self._kept(review)

    def _first_answer(self, series: PatchRows) -> Known:
        """Who is known to execute the changed functions; told before the kernels are built."""
        functions = names_in_kernels(chain(*self._by_patch.values()), self._wanted.arch)
        version = kernel_version(series.base_tree, self._wanted.base)
        first = known(functions, version, self._wanted.arch, self._tell)
        if text := known_line(first):
            self._tell(Progress(stage="review", subject="first answer", text=text))
        return first

    def _begun(self, series: PatchRows, first: Known, base: KernelSide, head: KernelSide) -> Review:
        source = Path(self._wanted.patches)
        return Review(
            kassay_version=kassay.__version__, command=self._command, source=self._wanted.source,
            original=original_of(read_mails(source)),
            message_ids=tuple(patch.message_id for patch in read_patches(source)),
            patches=series.patches, tries=self._tries, margin=0.0, machine="",
            base=base, head=head, known=first,
        )  # fmt: skip

    def _guarded(self, review: Review, sides: Sides, change: SourceChange) -> Review:
        """Runs the settings once on both kernels, then measures those that decide."""
        compiled = (part.function for part in change.parts if part.reason != NOT_COMPILED)
        self._functions = frozenset(filter(None, compiled))
        assert review.known is not None  # looked up when the review began
        uses = uses_of(review.known)
        # On this kernel another workload may execute them. A macro or a default has no function: all are asked.
        if not self._functions or self._functions - executed_names(review.known):
            uses = suite_workloads(self._wanted.suite)
        self._budget.allows(self._directory / SCREEN)  # the first step that a command makes
        first = self._screened(SCREEN, uses, sides)
        affected = {name for name, _ in self._affected()}
        described = describe_workloads(uses, None)
        more = [near for use in uses if use.name in affected for near in neighbours(use, described[use.name])]
        del self._owed[: 1 if more else 2]
        second = first
        review = self._kept(self._updated(review, change))
        if more and self._time(_NEIGHBOURS):
            second = self._screened("neighbours", more, sides)
        picked = self._picked((first, second))
        review = self._kept(self._updated(review, change))
        if picked and self._time(_MEASURED):
            asked = stages.experiment(
                "guard", sides, map(use_of, picked), self._tell, once=False, predict=self._wanted.predict
            )
            report = stages.measured(asked, self._directory / "guard", self._tell)
            self._reports.append(report)
            self._findings = report.findings
            machine = machine_text(report.findings[0].machine) if report.findings else ""
            review = structs.replace(review, margin=asked.margin, machine=machine)
            review = self._kept(self._updated(review, change, measured=report))
        return review

    @property
    def _extremes(self) -> int:
        """Number of gains, and of losses, to measure. Without a changed function no way through one adds a setting."""
        return _SPOTS if self._functions else max(_SPOTS, self._wanted.settings // 2)

    def _affected(self) -> set[Key]:
        """The settings that execute a changed function. If the series changes no function, those with the largest
        changes."""
        if self._functions:
            return {one.key for one in self._seen if one.functions}
        findings = [found for report in self._screens for found in report.findings if found.primary]
        changes = {(found.workload, found.settings): found.change for found in findings if found.change}
        return set(chosen({}, changes, self._extremes, self._wanted.settings))

    def _screened(self, name: str, uses: Sequence[WorkloadUse], sides: Sides) -> Report | None:
        """Each setting once on both kernels; None if none of them could be run."""
        if not uses:
            return None
        directory = self._directory / name
        report = stages.measured(stages.experiment(name, sides, uses, self._tell, once=True), directory, self._tell)
        self._reports.append(report)
        self._screens.append(report)
        self._seen += stages.seen(directory, self._functions)
        for key, why in {one.key: one.why for one in stages.failures(directory)}.items():
            self._left.append(Left(what=setting_text(*key), why=why))
        return report

    def _picked(self, reports: Sequence[Report | None]) -> tuple[Key, ...]:
        took, changes = result.took_by_setting(self._seen), _changes(filter(None, reports), self._affected())
        return chosen(took, changes, self._extremes, self._wanted.settings)

    def _updated(self, review: Review, change: SourceChange, measured: Report | None = None) -> Review:
        """The review with what is known by now."""
        affected = self._affected()
        cells = list(result.cells_of(measured, once=False)) if measured is not None else []
        have = {(cell.key, cell.phase) for cell in cells}
        for report in self._reports:
            for cell in result.cells_of(report, once=True) if report is not measured else ():
                key = cell.key, cell.phase
                if key not in have and cell.key in affected:
                    have.add(key)
                    cells.append(cell)
        ways = result.ways_by_kernel(self._seen)
        return structs.replace(
            review,
            functions=result.functions_of(change, self._reports, self._seen, self._by_patch),
            cells=tuple(cells),
            others=result.idle_settings(self._seen, affected),
            branches=result.branches_of(ways),
            branches_seen=sum(len(found.took) for found in ways.values()),
            branches_open=sum(len(found.open) for found in ways.values()),
        )

    def _stepped(self, review: Review, series: PatchRows, sides: Sides, spots: Sequence[Key]) -> Review:
        """The series patch by patch, in the settings that gain and lose most."""
        if not self._time(_PATCHES):
            return review
        directory = self._directory / "series"
        try:
            steps, without_values = series.measured(sides, spots, directory)
        except NotBuilt as error:
            self._left.append(Left(what=_PATCHES, why=error.what))
            stages.note_without_runs(directory)
            return review
        return self._kept(structs.replace(review, steps=steps, without_values=without_values))

    def _compared_with_previous(self, review: Review, sides: Sides) -> Review:
        """The measured settings on the earlier version of the series and on this one."""
        source = self._wanted.previous
        place = _previous_place(Path(source))
        if not self._time(_PREVIOUS):
            return review
        try:
            previous = self._previous(review, sides, self._directory / place)
        except KassayError as error:
            previous = Previous(source=source, problem=_problem(error))
        if not previous.cells:
            stages.note_without_runs(self._directory / place)
        return self._kept(structs.replace(review, previous=previous))

    def _previous(self, review: Review, sides: Sides, directory: Path) -> Previous:
        source = self._wanted.previous
        series = PatchRows(self._wanted.base, Path(source), sides.arch, self._tell)
        both = stages.built(series.ends[1], sides.refs[1], sides.arch, self._tell)
        if both.same_image:
            return Previous(source=source, same_image=True)
        keys = dict.fromkeys((
            *self._changed_since(both, directory.with_name(f"{directory.name}-once")),
            *(cell.key for cell in review.cells if cell.verdict != SCREENED),
        ))  # fmt: skip
        asked = stages.experiment("previous", both, map(use_of, keys), self._tell, once=False)
        report = stages.measured(asked, directory, self._tell)
        return Previous(source=source, cells=result.cells_of(report, once=False))

    def _changed_since(self, both: Sides, directory: Path) -> tuple[Key, ...]:
        """The settings with the largest changes between the earlier version and this one, each run once: what hurt
        in the earlier version alone is not among the measured settings of this one."""
        ran = sorted(self._affected(), key=str)
        asked = stages.experiment("previous-once", both, map(use_of, ran), self._tell, once=True)
        report = stages.measured(asked, directory, self._tell)
        return chosen({}, _changes([report], ran), _SPOTS, self._wanted.settings)

    def _cornered(self, review: Review, name: str, sides: Sides, spots: Sequence[Key]) -> Review:
        """The same settings on kernels that are built otherwise."""
        if not self._time(name):
            return review
        began = clock.monotonic_s()
        try:
            corner = self._corner(name, sides, spots)
        except KassayError as error:
            corner = Corner(name=name, problem=_problem(error))
        if not corner.cells:
            stages.note_without_runs(self._directory / _corner_place(name))
        self._longest_s = max(self._longest_s, clock.monotonic_s() - began)
        return self._kept(structs.replace(review, corners=(*review.corners, corner)))

    def _corner(self, name: str, sides: Sides, spots: Sequence[Key]) -> Corner:
        arch = parts_of(name).get("arch", sides.arch)
        refs = [otherwise(ref, name, arch) for ref in sides.refs]
        other = stages.built(refs[0], refs[1], arch, self._tell)
        if other.same_image:
            return Corner(name=name, same_image=True)
        self._built[_images(sides)] = _USUAL
        if (first := self._built.setdefault(_images(other), name)) != name:
            return Corner(name=name, same_as=first)
        asked = stages.experiment("corner", other, map(use_of, spots), self._tell, once=False)
        report = stages.measured(asked, self._directory / _corner_place(name), self._tell)
        cells = tuple(cell for cell in result.cells_of(report, once=False) if cell.primary)
        config = result.kernel_side(sides.refs[0], sides.base).config
        usual, there = Build(self._findings, sides.images), Build(report.findings, other.images)
        return Corner(name=name, cells=cells, decides=deciding(name, config, usual, there, cells))

    def _time(self, what: str) -> bool:
        """True if the step may begin; otherwise it gets a row of its own."""
        if what in self._owed:
            self._owed.remove(what)
        if self._budget.allows(self._directory / self._place(what), self._longest_s):
            return True
        self._left.append(Left(what=what, why=self._budget.reason))
        return False

    def _place(self, what: str) -> str:
        """Directory of a step's runs."""
        places = {**dict(zip(_STEPS, _PLACES, strict=True)), _PATCHES: "series"}
        if what == _PREVIOUS:
            return _previous_place(Path(self._wanted.previous))
        return places.get(what) or _corner_place(what)

    def _kept(self, review: Review) -> Review:
        """The review as it is stored: with what is left. An answer that says nothing new is not stored again, nor one
        that an earlier command went beyond."""
        if self._owed and stages.finished(self._directory / self._place(self._owed[0])):
            return review
        owed = [Left(what=what, why=UNDER_WAY) for what in self._owed]
        review = structs.replace(review, left=(*self._left, *owed), seconds=round(self._budget.used_s, 1))
        known = structs.replace(review, seconds=0.0)
        if known != self._stored:
            self._stored = known
            self._keep(review)
            done = [cell for cell in review.cells if cell.n_base > 1]
            text = f"{len(done)} values, {len(review.steps)} tables of patches, {len(review.corners)} corners"
            self._tell(Progress(stage="review", subject="answer so far", text=text))
        return review


def _changes(reports: Iterable[Report], settings: Container[Key]) -> dict[Key, float]:
    """The change in its primary phase of each of these settings; the last report counts."""
    return {
        (f.workload, f.settings): f.change
        for report in reports for f in report.findings
        if f.change is not None and f.primary and (f.workload, f.settings) in settings
    }  # fmt: skip


def _images(sides: Sides) -> tuple[str | None, ...]:
    return sides.base.identity.image_sha256, sides.head.identity.image_sha256


def _previous_place(source: Path) -> str:
    """Directory of the runs on an earlier version, named by its patches: a review may be held against several."""
    hashes = "".join(patch.sha256 for patch in read_patches(source))
    return f"previous-{sha256_bytes(hashes.encode())[:12]}"


def _corner_place(name: str) -> str:
    return f"corners/{name.replace('/', '_').replace('=', '-').replace(',', '_')}"


def _problem(error: KassayError) -> str:
    return " ".join(error.what.split())[:_SHOWN]


def _spots(review: Review) -> tuple[Key, ...]:
    """The settings that gain and lose most, and those whose gain and loss the answer names: the former may have no
    verdict."""
    cells = [cell for cell in review.cells if cell.primary and cell.change is not None and cell.n_base > 1]
    by_change = sorted(cells, key=lambda cell: cell.change or 0.0)
    named = filter(None, (largest(cells, word) for word in CHANGES))
    return tuple(dict.fromkeys(cell.key for cell in (*by_change[:1], *by_change[-1:], *named)))

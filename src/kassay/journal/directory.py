# SPDX-License-Identifier: GPL-2.0-only
"""A run directory: spec.toml, plan.json, journal.jsonl, artifacts/; started, resumed, or opened to read."""

from pathlib import Path

import msgspec

from kassay.effects.files import sha256_bytes, write_atomic
from kassay.errors import BadInput
from kassay.journal.host_blocks import counted_records
from kassay.journal.journal import read_journal
from kassay.journal.later_lines import with_later_lines
from kassay.model.experiment import Experiment
from kassay.model.kernel import exact_ref
from kassay.model.plan import Plan
from kassay.model.records import Record, content_id, from_json, to_json
from kassay.model.run import RunRecord
from kassay.spec.load import dump
from kassay.supply.clocks import clock_of

BESIDE = "beside"
"""Inside a directory of counts: the same question, timed, as a run directory of its own."""


class RunDirectory(Record, frozen=True, kw_only=True):
    """A directory with its plan."""

    path: Path
    plan: Plan
    plan_id: str

    @property
    def journal(self) -> Path:
        return self.path / "journal.jsonl"

    def records(self) -> tuple[RunRecord, ...]:
        """The records of the journal that count, with lines that were found later. Raises BadInput as read_journal()
        does."""
        return with_later_lines(self.path, counted_records(self.plan, read_journal(self.journal, self.plan_id)))

    def pinned_spec(self) -> str:
        """The experiment file with every kernel named so exactly that it means the same next year."""
        return dump(pinned(self.plan))


def open_directory(path: Path) -> RunDirectory:
    """A directory that holds a plan. Raises BadInput when it does not, or when the plan was damaged."""
    try:
        data = (path / "plan.json").read_bytes()
    except OSError as error:
        raise _no_runs(path) from error
    try:
        plan = from_json(data, Plan)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}/plan.json: {error}", "it is damaged, or of another version of kassay") from error
    if len(plan.kernels) != len(plan.experiment.kernels):
        problem = f"{len(plan.kernels)} kernels of {len(plan.experiment.kernels)} that were asked for"
        raise BadInput(f"{path}/plan.json: {problem}", "it is damaged, or of another version of kassay")
    # The hash of the file's bytes: a later version writes more fields for the same plan.
    return RunDirectory(path=path, plan=plan, plan_id=sha256_bytes(data))


SEARCH = "bisect.json"
"""The file that the directory of a bisection has."""
CULPRIT, MERGE, STEPS = "culprit", "merge", "steps"
"""Run directories and searches inside a bisection: the culprit's comparison, the branch of a merge, each boot."""
SCREEN = "screen"
"""The settings that `kassay review` and `kassay ci` run once, below the directory of the answer."""


def run_directories(path: Path) -> tuple[Path, ...]:
    """All run directories that a directory of kassay holds: itself and the one beside it; of a bisection, all of its.

    A path without any is returned as it is.
    """
    if (path / SEARCH).is_file():
        steps = path / STEPS  # boots of a noisy search are one level deeper
        boots = sorted(plan.parent for depth in ("*", "*/boot-*") for plan in steps.glob(f"{depth}/plan.json"))
        found = [*boots, path / CULPRIT, *run_directories(path / MERGE)]
    else:
        found = [path, path / BESIDE]
    return tuple(one for one in found if (one / "plan.json").is_file()) or (path,)


def _no_runs(path: Path) -> BadInput:
    """The error for a directory without a plan; it says what the directory is instead."""
    if (path / SEARCH).is_file():
        comparison = path / CULPRIT
        found = (comparison / "plan.json").is_file()
        remedy = f"its comparison has runs: give {comparison}" if found else "it has no comparison yet: repeat bisect"
        return BadInput(f"{path}: a directory of kassay bisect, not a run directory", remedy)
    if (path / "manifest.json").is_file():
        return BadInput(f"{path}: a bundle, not a run directory", f"its runs are in {path / 'run'}")
    if (path / SCREEN / "plan.json").is_file():  # of a review or a gate
        places = sorted(plan.parent for depth in ("*", "*/*") for plan in path.glob(f"{depth}/plan.json"))
        names = ", ".join(str(place.relative_to(path)) for place in places)
        return BadInput(f"{path}: several run directories, not one", f"give one of {names} in it")
    why = "no plan.json" if path.is_dir() else "it is a file" if path.exists() else "there is no such directory"
    return BadInput(f"{path}: not a run directory ({why})", "give a directory that kassay made")


def resumed(path: Path, experiment: Experiment) -> Plan | None:
    """The plan in `path`, or None. Raises BadInput when it is of another experiment."""
    if not (path / "plan.json").exists():
        return None
    plan = open_directory(path).plan
    if plan.experiment != experiment:
        names = [n for n in Experiment.__struct_fields__ if getattr(plan.experiment, n) != getattr(experiment, n)]
        raise BadInput(f"{path}: holds another experiment (differs in {', '.join(names)})",
                       "choose another directory with --out; nothing there was changed")  # fmt: skip
    return plan


def started(path: Path, plan: Plan) -> RunDirectory:
    """Writes spec and plan where they are missing. Raises BadInput when the plan that is there is another.

    Same experiment, other plan: kernels, emulator or guest programs changed since.
    """
    folder = RunDirectory(path=path, plan=plan, plan_id=content_id(plan))
    if (path / "plan.json").exists():
        old = open_directory(path)
        before, now = _comparable(old.plan), _comparable(plan)
        if before.cmdlines is msgspec.UNSET:  # of an earlier version; supply_for() has taken those of its runs
            now = msgspec.structs.replace(now, cmdlines=msgspec.UNSET)
        if before.machine.host_id is msgspec.UNSET:  # of an earlier version
            now = msgspec.structs.replace(now, machine=msgspec.structs.replace(now.machine, host_id=msgspec.UNSET))
        if before.plugin_sha256 is msgspec.UNSET:  # see check_plugin()
            now = msgspec.structs.replace(now, plugin_sha256=msgspec.UNSET)
        if before != now:
            fields = [n for n in Plan.__struct_fields__ if getattr(before, n) != getattr(now, n)]
            names = [_IN_WORDS.get(field, field) for field in fields]
            raise BadInput(f"{path}: was measured with another {' and '.join(names)}",
                           "the old runs stay valid; measure anew with --fresh or another --out")  # fmt: skip
        return old
    write_atomic(path / "spec.toml", dump(plan.experiment).encode())
    write_atomic(path / "pinned.toml", dump(pinned(plan)).encode())
    write_atomic(path / "plan.json", to_json(plan))
    return folder


_IN_WORDS = {"guest_sha256": "guest program", "plugin_sha256": "plugin of QEMU", "cmdlines": "kernel command line"}


def check_plugin(folder: RunDirectory, plan: Plan) -> None:
    """Raises BadInput if it is not known which plugin of the emulator made the runs of a directory, and `plan` has one.
    Call it before further runs are made."""
    if folder.plan.plugin_sha256 is msgspec.UNSET and plan.plugin_sha256 and folder.records():
        raise BadInput(f"{folder.path}: an earlier version of kassay made its runs, maybe with another plugin of QEMU",
                       "the old runs stay valid; measure anew with --fresh or another --out")  # fmt: skip


def _comparable(plan: Plan) -> Plan:
    """The plan without what cannot change a value: the host where counts are exact, the container, and the name of the
    compiler, as the hashes of the programs are compared."""
    host = plan.machine.host if clock_of(plan.machine.clock).depends_on_host else ""
    machine = msgspec.structs.replace(plan.machine, host=host, container=msgspec.UNSET)
    return msgspec.structs.replace(plan, machine=machine, guest_compiler="")


def pinned(plan: Plan) -> Experiment:
    """The experiment with "debian:6.17" replaced by the package version that was found."""
    uses = tuple(
        msgspec.structs.replace(use, ref=exact_ref(kernel))
        for use, kernel in zip(plan.experiment.kernels, plan.kernels, strict=True)
    )
    return msgspec.structs.replace(plan.experiment, kernels=uses)

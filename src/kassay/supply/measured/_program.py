# SPDX-License-Identifier: GPL-2.0-only
"""A program that the user brings. The runner in guest/program.c starts it, and measures it from outside."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import structs

from kassay.errors import Defect, nearest_of
from kassay.evidence.profile.counters import ProfileError
from kassay.evidence.profile.raw import parse
from kassay.model.experiment import WorkloadUse
from kassay.model.guest import GuestReport
from kassay.model.program import OWN_ARGS, Check, ProgramUse, checks, filled, point_in, success_status
from kassay.model.progress import Tell
from kassay.model.records import Setting
from kassay.model.texts import listed, shortened
from kassay.model.workload import Workload
from kassay.supply.guest import audit, program, program_source, sources
from kassay.supply.guest.program_output import executions, operations_in, printed, several_values, unmet
from kassay.supply.guest.program_points import program_points
from kassay.supply.measured._interface import Measured

_VALUES = 5  # that an error names


class MeasuredProgram(Measured):
    """It is built with kassay's flags, unless it is brought as a program. It prints what it likes."""

    @property
    def program(self) -> ProgramUse:
        """The program of the use."""
        if not self.use.program:
            raise Defect(f"{self.name} is not pinned yet")
        return self.use.program

    @property
    def counted(self) -> bool:
        return self.program.counted

    @property
    def commands_around(self) -> tuple[int, int]:
        return 0, 0

    def pin(self, arch: str, tell: Tell, directory: Path | None = None) -> WorkloadUse:
        return structs.replace(self.use, program=program_source.pinned(self.program, directory))

    def describe(self) -> Workload:
        return program.workload_of(self.name, self.program)

    @property
    def guest_program(self) -> str:
        return sources.RUNS_PROGRAMS

    def build(self, arch: str) -> Path:
        return program.packed(self.program, arch)

    def stored_sources(self) -> bytes | None:
        return program_source.stored(self.program)

    def arguments(self, settings: Sequence[Setting], common: Sequence[str]) -> tuple[str, ...]:
        return ("--run", *common, "--", *self._runner_words({setting.name: setting.value for setting in settings}))

    def points(self, built: Path) -> bytes:
        return program_points(program.program_in(built) or b"", self.program).encode()

    def problem(
        self, report: GuestReport, profile: bytes | None, settings: Sequence[Setting]
    ) -> tuple[str, str] | None:
        """A requirement on its output that does not hold, or a reason why its rounds cannot be counted."""
        outputs, work = executions(report) or (), self.program.work
        made = len(report.phases[0].ticks) if report.phases and not report.counted else len(outputs)
        if (work or self.program.require) and len(outputs) != made:
            return "check-failed", f"program: its output is known for {len(outputs)} of {made} executions; print less"
        if unmet_requirement := unmet(self._required({setting.name: setting.value for setting in settings}), outputs):
            return "check-failed", f"program: {unmet_requirement}"
        if work and (values := several_values(outputs, work)):
            each = listed(shortened([f"{name}={value}" for name, value in values.items()], _VALUES))
            return "check-failed", f"program: --work {work}: it prints {work} several times: name one of {each}"
        if work and not operations_in(outputs, work):
            names = ", ".join(dict.fromkeys(item.name for item in printed(report))) or "nothing that can be read"
            return "check-failed", (
                f"program: --work {work}: it must print a whole number above 0 of this name in each execution; it "
                f"prints: {names}"
            )
        if missing := self._unknown_state(report):
            fields = nearest_of(missing, sorted(self._known_state(report)))
            return (
                "check-failed",
                f"program: --state {missing}: neither printed by it nor a field of its memory; {fields}",
            )
        return self._uncountable(profile) if report.counted else None

    def _uncountable(self, profile: bytes | None) -> tuple[str, str] | None:
        """Outcome and detail where the profile does not tell the rounds of a program; None where it does."""
        if not profile:
            return "guest-error", "program: its rounds are counted by a profile, and this run has none"
        try:
            rounds = parse(profile).rounds
        except ProfileError as error:
            return "check-failed", f"program: its rounds cannot be told: {error}"
        if rounds == 0 and self.program.points:
            return "check-failed", f"program: no round: {self._unreached()}"
        if rounds < 2:
            without = "" if rounds else "; without kassay.h a round is a whole execution"
            return "check-failed", f"program: {rounds} rounds were marked, and at least 2 are needed{without}"
        return None

    def _unreached(self) -> str:
        """The points of a program that has no round, in words."""
        function, _, call = point_in(self.program.start or self.program.end)
        seldom = f"it called {function}() less than {call} times" if call else f"it did not call {function}()"
        return f"{seldom} in any execution" + (f", or {self.program.end} not after it" if self.program.end else "")

    def _runner_words(self, values: Mapping[str, str]) -> Iterator[str]:
        """Words for guest/program.c. values: of the parameters by name."""
        use = self.program
        yield from self._start_words(values)
        yield f"status={success_status(use)}"
        yield f"limit_ms={use.limit_ms}"
        yield f"counted={int(use.counted)}"
        yield f"operations={self._operations(values)}"
        if use.work:
            yield f"work={use.work}"

    def _start_words(self, values: Mapping[str, str]) -> Iterator[str]:
        """Arguments and variables of the program itself."""
        yield from (
            f"arg={filled(word, values)}" for word in (*OWN_ARGS.get(self.program.marks, ()), *self.program.args)
        )
        yield from (f"env={filled(word, values)}" for word in self.program.env)

    def _operations(self, values: Mapping[str, str]) -> int:
        """The number that a round is divided by."""
        return int(values["tasks"]) * int(values["operations"]) if self.program.marks == "testcase" else 1

    def _required(self, values: Mapping[str, str]) -> tuple[Check, ...]:
        """Checks of its output."""
        return checks(self.program.require)

    def _unknown_state(self, report: GuestReport) -> str:
        """The first name of --state that is neither printed nor a field; "" for none."""
        known = self._known_state(report)
        return next((name for name in self.program.state if name not in known), "")

    def _known_state(self, report: GuestReport) -> set[str]:
        """Names that --state may have."""
        fields = audit.fields(report, "after").keys()
        return {item.name for item in printed(report)} | {*fields} | {name.removeprefix("program.") for name in fields}

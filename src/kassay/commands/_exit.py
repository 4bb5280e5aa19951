# SPDX-License-Identifier: GPL-2.0-only
"""--exit-code and --allow-refused, the same for every command that answers."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import Option

from kassay.errors import NO_PASS, REGRESSION, BadInput, nearest_of

if TYPE_CHECKING:  # help texts need not load the records of a report
    from kassay.model.report import Report

ExitCode = Annotated[bool, Option("--exit-code", help=f"Exit 1 if {REGRESSION}, else 4 if {NO_PASS}.")]
AllowRefused = Annotated[
    list[str] | None,
    Option(
        "--allow-refused", metavar="WORKLOAD", show_default=False,
        help="With --exit-code: this workload may be refused. May be repeated.",
    ),
]  # fmt: skip

ALLOWING = {"--allow-refused": ("--exit-code",)}
"""--allow-refused does nothing without --exit-code; for check_together()."""


class Passing(NamedTuple):
    """Rules for the exit status of an answer."""

    wanted: bool
    """True if --exit-code was given."""
    allowed: tuple[str, ...] = ()
    """Values of --allow-refused."""

    def check(self, workloads: Iterable[str]) -> None:
        """Raises BadInput for an allowed workload that is none of these."""
        known = tuple(dict.fromkeys(workloads))
        for name in self.allowed:
            if name not in known:
                raise BadInput(f"--allow-refused {name}: no such workload is measured", nearest_of(name, known))

    def status(self, report: "Report") -> int:
        """The exit status."""
        from kassay.report.exit_status import exit_status

        return exit_status(report, self.allowed) if self.wanted else 0

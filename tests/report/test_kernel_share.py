# SPDX-License-Identifier: GPL-2.0-only
"""How much of a program is the kernel's, and for whom, as every format tells it."""

import json

from msgspec.structs import replace

from kassay.model.experiment import WorkloadUse
from kassay.model.program import ProgramUse
from kassay.model.reason_texts import reason_text
from kassay.model.report import Report
from kassay.report.conditions import idle_time
from kassay.report.sections.kernel_share import entries_table, overview_share_table, program_groups, share_sentence
from tests.report.parts import KERNELS, MACHINE, SETTINGS
from tests.report.rendering import FORMATS
from tests.report.reports import SAMPLES
from tests.report.shares import kernel_share

FAULT, EXECVE, TIMER = ("fault", "page fault"), ("system call", "execve"), ("interrupt", "apic timer interrupt")
OLD = kernel_share(KERNELS[1], {FAULT: (2000, 8), EXECVE: (900, 2), TIMER: (30, 2)}, user=7000, machine=MACHINE,
                   settings=SETTINGS)  # fmt: skip
NEW = kernel_share(KERNELS[2], {FAULT: (2400, 10), EXECVE: (900, 2)}, user=7000, machine=MACHINE, settings=SETTINGS)


def program_report() -> Report:
    """The comparison of two kernels, of a user's program."""
    report = SAMPLES["compare"]()
    uses = tuple(
        WorkloadUse(name=use.name, axes=use.axes, program=ProgramUse(path="mprotect.c"))
        for use in report.experiment.workloads
    )
    return replace(report, experiment=replace(report.experiment, workloads=uses), shares=(OLD, NEW))


def rows(table_rows: object) -> dict[str, list[str]]:
    return {row[0].text.strip(): [cell.text for cell in row[1:]] for row in table_rows}  # type: ignore[attr-defined]


def test_every_executed_function_is_in_one_row_and_differences_add_up() -> None:
    found = rows(entries_table((OLD, NEW)).rows)
    assert found["user code"] == ["70.0 %", "67.5 %", "0", ""]
    assert found["kernel"] == ["29.3 %", "31.8 %", "+185", ""]
    assert found["page fault"] == ["20.0 %", "23.1 %", "+200", "4 → 5"]
    assert found["apic timer interrupt"] == ["0.30 %", "0 %", "-15", "1 → -"]
    assert (found["other tasks"][2], found["idle"][2], found["unresolved"][2]) == ("0", "0", "0")
    assert found["all"] == ["100.0 %", "100.0 %", "+185", ""]


def test_rows_that_do_not_fit_are_one_row_with_their_sum() -> None:
    found = rows(entries_table((OLD, NEW), limit=1).rows)
    assert found["2 more"] == ["9.30 %", "8.68 %", "-15", ""]
    assert "execve" not in found


def test_a_share_that_rounds_to_zero_is_not_zero() -> None:
    large = replace(OLD, count=10**9, unresolved=1)
    assert rows(entries_table((large, large)).rows)["unresolved"][0] == "<0.001 %"


def test_one_kernel_has_no_difference() -> None:
    assert entries_table((OLD,)).columns == ("for", OLD.label, "times per file")


def test_a_sentence_names_the_largest_and_what_is_left() -> None:
    assert share_sentence(OLD, name="6.16") == (
        "Of the instructions per file of mprotect on 6.16, 29.3 % are the kernel's: page fault 20.0 %, execve 9.00 %, "
        "apic timer interrupt 0.30 %."
    )
    alone = replace(OLD, entries=None)
    assert share_sentence(alone).endswith("29.3 % are the kernel's.")


def test_programs_have_the_table_in_every_format_and_own_workloads_in_json() -> None:
    report = program_report()
    for name in ("terminal", "markdown"):
        assert "Whose instructions" in FORMATS[name].render(report), name
    mail = " ".join(FORMATS["mail"].render(report).split())
    assert "31.8% are the kernel's: page fault 23.1%" in mail
    assert "The program does nothing but this" not in mail
    own = replace(SAMPLES["compare"](), shares=(replace(OLD, entries=None),))
    assert program_groups(own) == ()
    assert "Whose instructions" not in FORMATS["terminal"].render(own) + FORMATS["markdown"].render(own)
    assert "The program does nothing but this" in " ".join(FORMATS["mail"].render(own).split())
    share = json.loads(FORMATS["json"].render(report))["kernel_share"][0]
    assert share["count"] == share["user"] + share["kernel"] + share["interrupt"] + share["other"] + share["idle"] + 10
    assert sum(entry["count"] for entry in share["entries"]) == share["kernel"] + share["interrupt"]


def test_time_that_the_guest_was_idle_is_told_with_its_amount() -> None:
    busy = replace(NEW, idle=1)
    told = idle_time((OLD, busy, replace(NEW, count=0)))
    text = f"{OLD.label}: 0.2% of the value of mprotect is time that the guest was idle: 10 of 5 000 instructions/file."
    assert list(map(reason_text, told)) == [text]
    report = replace(program_report(), disclosures=told)
    for name in ("terminal", "markdown", "html", "mail"):
        assert "is time that the guest was idle: 10 of 5 000" in " ".join(FORMATS[name].render(report).split()), name


def test_an_overview_has_a_row_for_each_program() -> None:
    other = replace(OLD, workload="gcc_compile", entries=None)
    uses = tuple(WorkloadUse(name=name, program=ProgramUse(path=name)) for name in ("mprotect", "gcc_compile"))
    report = program_report()
    both = replace(report, experiment=replace(report.experiment, workloads=uses), shares=(OLD, NEW, other))
    table = overview_share_table(both)
    assert table is not None
    found = rows(table.rows)
    assert found["mprotect"] == ["29.3 %", "31.8 %", "23.1 %", "page fault 23.1 %, execve 8.68 %"]
    assert found["gcc_compile"] == ["29.3 %", "-", "-", ""]

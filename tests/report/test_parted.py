# SPDX-License-Identifier: GPL-2.0-only
"""A refusal for unequal states says which field diverged first, and when."""

from msgspec.structs import replace

from kassay.model.finding import Finding, OneSided, StateDifference
from kassay.model.reason import reason
from kassay.model.report import AuditTable, Report
from kassay.report.formats import format_named
from kassay.report.parted import parted_sentences
from tests.report.reports import SAMPLES

BASE, HEAD = "debian:6.12.117", "debian:6.19.14"


def _refused(*differences: tuple[str, str, str, str], **changes: object) -> tuple[Report, Finding]:
    """The report of a refused comparison with these differences: moment, field, value of base, value of head."""
    report = SAMPLES["refused"]()
    rows = tuple(StateDifference(moment=m, field=f, base=a, head=b) for m, f, a, b in differences)
    finding = replace(report.findings[0], verdict="state-mismatch", differences=rows, **changes)
    return replace(report, findings=(finding,), audits=()), finding


def _with_audits(report: Report, base: dict[str, str | None], head: dict[str, str | None]) -> Report:
    settings = report.findings[0].settings
    audits = [
        AuditTable(kernel=kernel, settings=settings, moment=moment, fields=tuple(fields.items()))
        for moment in ("before", "after") for kernel, fields in ((BASE, base), (HEAD, head))
    ]  # fmt: skip
    return replace(report, audits=tuple(audits))


def test_a_policy_that_differs_since_boot_comes_first() -> None:
    report, finding = _refused(("before", "range.AnonHugePages", "0 kB", "16384 kB"))
    base: dict[str, str | None] = {"thp.enabled": "madvise", "vm.swappiness": "60", "thp.16kB": None, "vm.x": "1"}
    head: dict[str, str | None] = {"thp.enabled": "always", "vm.swappiness": "60", "thp.16kB": "never", "vm.x": None}
    assert parted_sentences(_with_audits(report, base, head), finding) == (
        f"The states parted at boot: thp.enabled is madvise on {BASE} and always on {HEAD}.",
        f"First effect: before the measured region, range.AnonHugePages is 0 kB on {BASE} and 16384 kB on {HEAD}.",
    )


def test_equal_settings_leave_the_preparation() -> None:
    report, finding = _refused(("before", "AnonHugePages", "0 kB", "16384 kB"), ("after", "Rss", "1 kB", "2 kB"))
    (told,) = parted_sentences(_with_audits(report, {"thp.enabled": "x"}, {"thp.enabled": "x"}), finding)
    assert told.startswith("The states parted while the workload made its state: before the measured region, Anon")


def test_states_that_part_inside_are_told_with_the_phase() -> None:
    report, finding = _refused(("after", "pagemap.present", "10", "12"))
    ran = (OneSided(function="split_folio_to_list", kernel=HEAD, value=3.0, calls=1.0),)
    touch = replace(finding, metric="touch", primary=False, one_sided=ran)
    whole = replace(finding, one_sided=ran)
    told = parted_sentences(replace(report, findings=(whole, touch)), finding)
    assert told == (
        "The states are equal before the measured region and parted inside of it: after it, "
        f"pagemap.present is 10 on {BASE} and 12 on {HEAD}.",
        "The first phase in which functions ran on one kernel only is touch.",
    )


def test_another_refusal_has_no_such_sentence() -> None:
    report, finding = _refused(("during", "system calls", "3", "4"))
    assert parted_sentences(report, replace(finding, verdict="contaminated")) == ()
    assert parted_sentences(report, finding) == ()


def test_runs_of_one_kernel_that_differ_are_not_taken_for_two_kernels() -> None:
    report, finding = _refused(("before", "AnonHugePages", "0 kB", "16384 kB"))
    why = reason("runs-differ", BASE, field="AnonHugePages", moment="before", value="0 kB", run="a",
                 other_value="16384 kB", other_run="b")  # fmt: skip
    assert parted_sentences(report, replace(finding, reasons=(why,))) == ()


def test_a_mail_calls_the_kernels_as_elsewhere() -> None:
    report, _ = _refused(("before", "AnonHugePages", "0 kB", "16384 kB"))
    sent = " ".join(format_named("mail").render(report).split())
    assert "AnonHugePages is 0 kB on v6.12.117 and 16384 kB on v6.19.14." in sent

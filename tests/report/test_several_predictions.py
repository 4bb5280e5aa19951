# SPDX-License-Identifier: GPL-2.0-only
"""Predicted time of several workloads on several booted CPUs: each comparison has a name of its own."""

from msgspec.structs import replace

from kassay.model.experiment import Axis
from kassay.model.reason import reason
from kassay.model.report import Report
from kassay.report.document import Fact, Facts, Section
from kassay.report.predictions import disagreements, prediction_blocks
from kassay.report.sections.predicted import prediction_tables
from tests.report.predicted_reports import several
from tests.report.rendering import without_library
from tests.report.reports import attribution


def test_each_comparison_is_named_by_its_workload_and_its_booted_cpu() -> None:
    report = several("zen3", "zen5")
    titles = [block.title for block in prediction_blocks(report) if isinstance(block, Section)]
    pair = "debian:6.16.12 to debian:6.17.13"
    assert titles == [f"{pair}, {name} cpu={cpu}" for name in ("mprotect", "unmap") for cpu in ("zen3", "zen5")]
    tables = [table.title for table in prediction_tables(report)]
    assert len({*tables}) == len(tables)
    assert f"iteration, {pair}, unmap cpu=zen5 on alderlake_p: by cause" in tables


def test_doubts_with_a_command_come_first_and_are_never_cut() -> None:
    report = several("zen3", "zen5")
    commands = [
        reason("kernel-mitigates", mitigations=((f"PTI {i}", 0),), options=f"--cmdline 'a={i}'") for i in range(6)
    ]
    few = [reason("rounds-spread", spread=0.01 * i) for i in range(1, 4)]
    doubts = (*few, reason("other-cpu-booted", booted="zen3"), *commands)
    doubtful = replace(report.findings[0].predictions[0], doubts=doubts)
    findings = (replace(report.findings[0], predictions=(doubtful,)), *report.findings[1:])
    texts = _doubt_texts(replace(report, findings=findings))
    where = "(mprotect cpu=zen3)"
    assert texts[0] == f"the kernel has PTI 0 on the emulated CPU only; to end them: --cmdline 'a=0' {where}"
    assert len(texts) == 7 and all("--cmdline" in text for text in texts[:6])
    assert texts[6] == "and 5 more"


def test_a_headline_says_which_mitigations_put_it_in_doubt() -> None:
    report = several("zen3", "zen5")
    doubt = reason("kernel-mitigates", mitigations=(("PTI", 0), ("Safe RET", 0)), options=None)
    first = report.findings[0]
    doubtful = replace(first, predictions=tuple(replace(one, doubts=(doubt,)) for one in first.predictions))
    told = disagreements(replace(report, findings=(doubtful,)))
    assert told and told[0].endswith("; in doubt, as the kernel has PTI, Safe RET on the emulated CPU only.")
    assert not any("in doubt" in text for text in disagreements(report))


def test_a_doubt_of_all_comparisons_names_none() -> None:
    assert _doubt_texts(several("zen3", "zen5")) == [
        "zen3: the kernels booted on qemu64 and chose their code for it; on the predicted CPU some code may differ"
    ]


def test_a_mail_has_counts_and_predictions_of_each_workload() -> None:
    report = several("zen3", "zen5")
    text = _mail(report)
    pair = "v6.16.12 to v6.17.13"
    assert f"- {pair}, mprotect cpu=zen3: +123% instructions/page counted, predicted +47% [+35, +61] on zen3 (" in text
    assert f"- {pair}, unmap cpu=zen5: +1.0% instructions/page counted, predicted +47% [+35, +61] on zen3 (" in text
    assert "- zen3: calibrated on this CPU, 90% of held-out changes inside such intervals" in text
    assert "In doubt: - zen3: the kernels booted on qemu64" in text and "debian:6.16.12 to" not in text
    assert "Those are 2 of 4 cases; the tables below have them all." in text
    assert "unmap (size=64MiB share=shared) (unmap, 1 CPU, 1GiB, cpu=zen3) executes 1.0% more instructions" in text


def test_tables_and_definitions_of_a_mail_name_their_workload() -> None:
    text = _mail(several("zen3"))
    assert "In instructions per page, lower is better (unmap, size=64MiB share=shared; " in text
    assert "How sure (mprotect): " in text and "Those are" not in text
    assert "- unmap: unmap (size=64MiB share=shared)." in text


def test_functions_in_a_mail_are_those_of_the_headline_workload() -> None:
    report = several("zen3")
    first, second = report.findings
    other = replace(attribution(), rows=attribution().rows[:1])
    findings = (replace(second, attribution=other), replace(first, attribution=attribution()))
    text = _mail(replace(report, findings=findings))
    assert "is (mprotect; instructions per page, one boot of each" in text and " change_pte_range " in text


def test_one_command_repeats_all_workloads_on_all_cpus() -> None:
    report = several("zen3", "zen5")
    axes = (Axis(name="size", values=("64MiB",)), Axis(name="share", values=("shared", "private")))
    first, second = report.experiment.workloads
    kernels = tuple(replace(use, cmdline="nopti a=1") for use in report.experiment.kernels)
    uses = (replace(first, axes=axes), second)
    experiment = replace(report.experiment, workloads=uses, cpu=("zen3", "zen5"), kernels=kernels)
    text = _mail(replace(report, experiment=experiment)).replace("\\ ", "")
    assert "compare mprotect,unmap debian:6.16.12 debian:6.17.13 --set size=64MiB" in text
    assert "--set mprotect.share=shared,private --cmdline 'nopti a=1' --cpu zen3,zen5 --repeats 2" in text


def test_kernel_parameters_of_the_user_stand_on_the_command_line_of_a_mail() -> None:
    report = several("zen3")
    base, head = report.experiment.kernels
    shared = reason("command-line", parameters="quiet")
    own = [reason("own-parameters", which=use.ref, parameters="nopti") for use in (base, head)]
    both = tuple(replace(use, cmdline="nopti") for use in (base, head))
    alike = replace(report, experiment=replace(report.experiment, kernels=both), disclosures=(shared, *own))
    text = _mail(alike)
    assert "Kernel command line: quiet nopti To reproduce" in text and "Additional kernel parameters" not in text
    one = replace(report.experiment, kernels=(base, both[1]))
    text = _mail(replace(report, experiment=one, disclosures=(shared, own[1])))
    assert "Kernel command line: quiet v6.17.13: nopti To reproduce" in text
    assert "Additional kernel parameters of v6.17.13: nopti." in text and "--cmdline-head nopti" in text


def _mail(report: Report) -> str:
    return " ".join(without_library("mail", report).split())


def _doubt_texts(report: Report) -> list[str]:
    rows = [row for block in prediction_blocks(report) if isinstance(block, Section) for row in _rows(block)]
    return [text for row in rows if row.name == "doubt" for text in row.texts]


def _rows(section: Section) -> tuple[Fact, ...]:
    return tuple(row for block in section.blocks if isinstance(block, Facts) for row in block.rows)

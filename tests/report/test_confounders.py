# SPDX-License-Identifier: GPL-2.0-only
"""Configurations beside the verdict: named shortly there, in full in the table and in the JSON."""

import json

from msgspec import structs

from kassay.analysis.confounders import compilers, confounders
from kassay.model.build import BuildSource
from kassay.model.experiment import labels
from kassay.model.finding import Confounder
from kassay.model.reason_texts import reason_text
from kassay.model.records import Setting
from kassay.model.report import Report
from kassay.report.conditions import confounder_sentences, disclosures
from kassay.report.formats import format_named
from kassay.report.formats import json as as_json
from tests.analysis.plans import plan_of
from tests.report.reports import SAMPLES

_NAMES = ("KASAN", "UBSAN", "KFENCE", "DEBUG_VM", "SLUB_DEBUG_ON", "KMSAN")


def configured(report: Report, *options: dict[str, str] | None) -> Report:
    """The report with these configurations, and what follows from them in its findings."""
    kernels = tuple(
        structs.replace(kernel, compiler=None, config_sha256=None,
                        configuration=None if one is None else tuple(Setting(name=n, value=v) for n, v in one.items()))
        for kernel, one in zip(report.kernels, options, strict=True)
    )  # fmt: skip
    by_label = dict(zip((kernel.ref for kernel in kernels), kernels, strict=True))
    findings = []
    for finding in report.findings:
        base, head = (by_label[side.kernel] for side in finding.sides)
        findings.append(structs.replace(finding, confounders=confounders(base, head)))
    return structs.replace(report, kernels=kernels, findings=tuple(findings))


def ladder(base: dict[str, str] | None, others: dict[str, str] | None) -> Report:
    report = SAMPLES["ladder"]()
    return configured(report, base, *[others] * (len(report.kernels) - 1))


def test_options_with_the_same_values_stand_together_and_the_rest_is_counted() -> None:
    base = {"preemption": "PREEMPT_VOLUNTARY", **dict.fromkeys(_NAMES, "n")}
    head = {"preemption": "PREEMPT_LAZY", **dict.fromkeys(_NAMES, "y")}
    assert confounder_sentences(ladder(base, head)) == (
        "Different configurations may be part of this: preemption is PREEMPT_VOLUNTARY for 6.12.117, PREEMPT_LAZY for "
        "the others; DEBUG_VM, SLUB_DEBUG_ON, KASAN, KFENCE and 2 more are n for 6.12.117, y for the others.",
    )


def test_a_kernel_between_two_of_one_compiler_is_named_with_them() -> None:
    report = SAMPLES["ladder"]()
    versions = ("14.2.0",) * (len(report.kernels) - 1) + ("16.2.0",)
    kernels = tuple(
        structs.replace(kernel, compiler=f"gcc-{version[:2]} (Debian {version}-1) {version}", configuration=None)
        for kernel, version in zip(report.kernels, versions, strict=True)
    )
    by_label = {kernel.ref: kernel for kernel in kernels}
    findings = tuple(
        structs.replace(one, confounders=compilers(*(by_label[side.kernel].compiler for side in one.sides)))
        for one in report.findings
    )
    assert confounder_sentences(structs.replace(report, kernels=kernels, findings=findings)) == (
        "Different compilers may be part of this: gcc 14.2.0 for 6.12.117, 6.16.12, 6.17.13 and 6.19.14, gcc 16.2.0 "
        "for 7.0.13.",
    )


def test_unknown_facts_name_their_kernels() -> None:
    assert confounder_sentences(ladder(None, None)) == (
        "Different configurations may be part of this: not known for any kernel.",
    )
    (text,) = confounder_sentences(ladder(None, {"KSM": "y"}))
    assert text == "Different configurations may be part of this: not known for 6.12.117, known for 6.16.12."


def test_the_table_and_the_json_have_every_option_that_differs() -> None:
    report = ladder({"HZ": "100", "KSM": "n", "SWAP": "y"}, {"HZ": "250", "KSM": "y", "SWAP": "y"})
    found = json.loads(as_json.render(report))
    assert [(row["topic"], row["name"]) for row in found["configurations"]] == [
        ("preemption", "HZ"),
        ("memory management", "KSM"),
    ]
    assert found["configurations"][0]["kernels"][1] == {"kernel": "debian:6.16.12", "value": "250"}
    assert found["kernels"][0]["configuration"] == {"HZ": "100", "KSM": "n", "SWAP": "y"}
    table = (
        format_named("markdown")
        .render(report)
        .partition("### Configurations: options that differ")[2]
        .partition("###")[0]
    )
    assert "| preemption | HZ | **100** | **250** |" in table and "SWAP" not in table


def test_parameters_of_one_kernel_stand_beside_the_verdict() -> None:
    report = SAMPLES["timed"]()
    given = Confounder(code="parameters", base="none", head="init_on_alloc=1")
    report = structs.replace(report, findings=(structs.replace(report.findings[0], confounders=(given,)),))
    text = "Different kernel parameters may be part of this: none for {}, init_on_alloc=1 for {}."
    assert confounder_sentences(report) == (text.format("6.16.12", "6.17.13"),)
    assert text.format("v6.16.12", "v6.17.13") in " ".join(format_named("mail").render(report).split())


def test_symbols_that_a_kernel_lacks_are_disclosed() -> None:
    """A misspelt symbol that is switched off changes nothing, and reads as one that costs nothing."""
    plan = plan_of(2)
    build = BuildSource(base="linux", version="7.3.4", tree="a" * 40, absent=("CONFIG_TYPO",))
    kernels = (plan.kernels[0], structs.replace(plan.kernels[1], build=build))
    told = [reason_text(one) for one in disclosures(structs.replace(plan, kernels=kernels), (), "", ())]
    lacking = "its sources have no symbol CONFIG_TYPO, which its configuration switches off"
    assert f"{labels(plan.experiment)[1]}: {lacking}" in told

# SPDX-License-Identifier: GPL-2.0-only
"""A report that takes an earlier one back: claim, reason, what holds, and what a tracker is told."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from kassay.cli import build_app
from kassay.errors import BadInput
from kassay.model.build import BuildSource
from kassay.model.finding import Finding, OneSided, StateDifference
from kassay.model.reason import own_words
from kassay.model.report import Report
from kassay.report.retraction import RETRACTION, Retraction, retraction
from tests.report.reports import SAMPLES
from tests.report.timed_reports import KVM

OLD = SAMPLES["timed"]()
UNEQUAL = (
    StateDifference(moment="before", field="range.AnonHugePages", base="0 kB", head="16384 kB"),
    StateDifference(moment="after", field="range.AnonHugePages", base="0 kB", head="16384 kB"),
)
# b4 takes a line for a trailer if a word and a colon stand in front of an address, or of what such words announce.
TRAILER = re.compile(
    r"^\s*(?:[\w-]+-by|Cc|Fixes|Link|Closes|Message-Id)\s*:|^\s*[\w-]+:\s+.*@", re.MULTILINE | re.IGNORECASE
)


def _new(report: Report = OLD, /, **changes: object) -> Report:
    """The same comparison, measured again, with another result."""
    first = replace(report.findings[0], **changes)
    return replace(report, findings=(first, *report.findings[1:]), plan_id="ffff0000", ladders=())


def _refused(**changes: object) -> Report:
    why = own_words("AnonHugePages differs")
    return _new(verdict="state-mismatch", change=None, interval=None, reasons=(why,), differences=UNEQUAL, **changes)


def _mail(taken: Retraction) -> str:
    return RETRACTION.form("mail").render(taken)


def _flat(text: str) -> str:
    return " ".join(text.split())


def test_a_claim_on_unequal_states_is_taken_back_with_the_state_and_the_trackers_command() -> None:
    ran = (OneSided(function="split_folio_to_list", kernel=OLD.findings[0].kernels[1], value=3.0, calls=0.25),)
    sent = _mail(retraction(_refused(one_sided=ran), OLD))
    flat = _flat(sent)
    assert flat.startswith(
        "Subject: Re: [REGRESSION] mprotect: 1.67x the time per page on v6.17.13 against v6.16.12 Hi,"
    )
    assert "What was claimed: Toggling write permission" in flat and "takes 1.67x as much time per page" in flat
    assert "v6.16.12 and v6.17.13 cannot be compared by this workload: AnonHugePages differs." in flat
    assert (
        "The states parted while the workload made its state: before the measured region, range.AnonHugePages" in flat
    )
    assert "range.AnonHugePages before 0 kB 16384 kB" in flat
    assert "one of them ran them, per page: split_folio_to_list on v6.17.13 (0.25 calls)." in flat
    assert "Nothing about the cost of this work on these kernels follows from either measurement." in flat
    (line,) = re.findall(r"^#regzbot.*$", sent, re.MULTILINE)
    assert line == (
        "#regzbot inconclusive: v6.16.12 and v6.17.13 did not work on the same state "
        "(range.AnonHugePages 0 kB and 16384 kB)"
    )


@pytest.mark.parametrize(
    ("changes", "reason", "command"),
    [
        ({"verdict": "equivalent", "change": 0.001, "head_value": 347.0, "interval": (-0.01, 0.01)},
         "Measured again, there is no difference beyond 1.0%", "resolve: measured again, v6.17.13 is not slower than"),
        ({"verdict": "improvement", "change": -0.2, "head_value": 277.4}, "it is the other way round", "resolve: "),
        ({"verdict": "inconclusive"}, "Measured again, it is not decided", "inconclusive: measured again"),
    ],
)  # fmt: skip
def test_what_is_measured_instead_decides_the_trackers_command(
    changes: dict[str, object], reason: str, command: str
) -> None:
    sent = _mail(retraction(_new(**changes), OLD))
    assert reason in _flat(sent)
    assert f"\n#regzbot {command}" in sent
    assert "What does hold:" in sent


@pytest.mark.parametrize("evidence", ["partial", "unstable", "robust-only"])
def test_weak_evidence_does_not_resolve_a_regression(evidence: str) -> None:
    taken = retraction(_new(verdict="equivalent", change=0.001, evidence=evidence), OLD)
    assert taken.regzbot == (
        f"#regzbot inconclusive: measured again, the regression does not show, but the evidence is {evidence}"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"machine": replace(KVM, clock="icount"), "evidence": "exact"},
        {"machine": replace(KVM, clock="tcg")},
        {"machine": replace(KVM, cpus=64)},
        {"workload": "page_fault"},
        {"metric": "touch"},
        {"settings": ()},
    ],
)
def test_another_measurement_takes_nothing_back(changes: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="by mprotect iteration in a way that can contradict the earlier one"):
        retraction(_new(verdict="equivalent", change=0.001, **changes), OLD)


def test_counts_that_agree_again_resolve_counts() -> None:
    old = SAMPLES["compare"]()
    assert retraction(_new(old, verdict="equivalent", change=0.0), old).regzbot == (
        "#regzbot resolve: measured again, v6.17.13 does not execute more instructions per page than v6.16.12"
    )


def test_an_improvement_that_is_a_regression_now_has_no_command() -> None:
    old = _new(verdict="improvement", change=-0.4, interval=(-0.45, -0.35))
    taken = retraction(OLD, old)
    assert (taken.regzbot, taken.command_reason) == ("", "")
    assert "Its claim does not hold." in _flat(_mail(taken)) and "regzbot" not in _mail(taken)


def test_a_report_that_was_not_tracked_gets_no_command() -> None:
    old = SAMPLES["compare"]()
    sent = _mail(retraction(_new(old, verdict="state-mismatch", change=None, differences=UNEQUAL), old))
    assert not re.search(r"^#regzbot", sent, re.MULTILINE)
    assert "Should the report be tracked, the command is: #regzbot inconclusive:" in _flat(sent)


@pytest.mark.parametrize("new", [_refused(), _new(verdict="inconclusive"), _new(verdict="equivalent", change=0.0)])
def test_tools_harvest_no_trailer(new: Report) -> None:
    body = _mail(retraction(new, OLD)).partition("\n\n")[2]
    assert not TRAILER.search(body)
    assert TRAILER.search("Tested-by: A <a@b.example>") and TRAILER.search("x\nSome-thing: a@b.example")


def test_what_differs_between_the_measurements_is_listed() -> None:
    f = OLD.findings[0]
    new = _refused(machine=replace(f.machine, cpus=4), settings=f.settings)
    taken = retraction(new, OLD)
    assert [text.partition(":")[0] for text in taken.measured] == ["machine"]
    assert retraction(_refused(), OLD).measured == ()


def test_several_claims_stand_in_a_table() -> None:
    old = SAMPLES["matrix"]()

    def equal(f: Finding) -> Finding:
        return replace(f, verdict="equivalent", change=0.0)

    taken = retraction(replace(old, findings=tuple(map(equal, old.findings))), old)
    assert len(taken.claims) > 1 and {claim.now_verdict for claim in taken.claims} == {"equivalent"}
    assert f"{len(taken.claims)} claims, and what is measured now" in _flat(_mail(taken))


@pytest.mark.parametrize(
    ("new", "old", "said"),
    [
        (OLD, OLD, "the new report has the same verdict (regression) and the same size"),
        (OLD, SAMPLES["refused"](), "claims no change"),
        (SAMPLES["empty"](), OLD, "the new report compares nothing"),
        (SAMPLES["refused"](), OLD, "the new report does not compare 6.16.12-cloud-amd64 and 6.17.13-cloud-amd64"),
    ],
)
def test_what_takes_nothing_back_is_refused(new: Report, old: Report, said: str) -> None:
    with pytest.raises(BadInput, match=re.escape(said)):
        retraction(new, old)


def _built(base: str, head: str, /, **changes: object) -> Report:
    """The same comparison of two builds of one git tree, which have one release. base, head: trees of the sources."""
    report = _new(**changes)
    builds = (BuildSource(base="linux", tree=tree, version="7.3.4") for tree in (base, head))
    kernels = tuple(
        replace(kernel, release="7.3.4", build=build, image_sha256=build.tree)
        for kernel, build in zip(report.kernels, builds, strict=True)
    )
    return replace(report, kernels=kernels)


def test_other_commits_of_the_same_release_take_nothing_back() -> None:
    equal: dict[str, object] = {"verdict": "equivalent", "change": 0.001}
    old = _built("aa", "bb")
    assert retraction(_built("aa", "bb", **equal), old).command == "resolve"
    for base, head in (("cc", "dd"), ("bb", "aa")):
        with pytest.raises(BadInput, match=r"does not compare debian:6\.16.* and debian:6\.17"):
            retraction(_built(base, head, **equal), old)


def test_configurations_of_one_tree_are_told_apart_also_after_another_compiler_built_them() -> None:
    equal: dict[str, object] = {"verdict": "equivalent", "change": 0.001}

    def configured(report: Report, compiler: str, *fragments: str) -> Report:
        kernels = (
            replace(kernel, image_sha256=f"{compiler}{each}", build=replace(kernel.build, fragments=(each,)))
            for kernel, each in zip(report.kernels, fragments, strict=True) if kernel.build is not None
        )  # fmt: skip
        return replace(report, kernels=tuple(kernels))

    one = _built("aa", "aa", **equal)
    old = configured(_built("aa", "aa"), "gcc-12", "CONFIG_X=y", "CONFIG_X=n")
    assert retraction(configured(one, "gcc-14", "CONFIG_X=y", "CONFIG_X=n"), old).command == "resolve"
    with pytest.raises(BadInput, match="does not compare"):
        retraction(configured(one, "gcc-14", "CONFIG_X=n", "CONFIG_X=y"), old)


def test_kernels_of_one_image_are_told_apart_by_their_parameters() -> None:
    equal: dict[str, object] = {"verdict": "equivalent", "change": 0.001}

    def of_one_image(report: Report, *cmdlines: str) -> Report:
        uses = zip(report.experiment.kernels, cmdlines, strict=True)
        kernels = tuple(replace(use, name=use.ref, cmdline=cmdline) for use, cmdline in uses)
        return replace(report, experiment=replace(report.experiment, kernels=kernels), kernels=(report.kernels[0],) * 2)

    old = of_one_image(_new(), "", "nopti")
    assert retraction(of_one_image(_new(**equal), "", "nopti"), old).command == "resolve"
    with pytest.raises(BadInput, match="does not compare"):
        retraction(of_one_image(_new(**equal), "nopti", ""), old)


CSV = "kernel,metric,value,block,unit,better\n"


def _imported(place: Path, name: str, new: int) -> Path:
    rows = "".join(
        f"{kernel},time,{value + block},{block},ns,lower\n"
        for block in range(8) for kernel, value in (("old", 100), ("new", new))
    )  # fmt: skip
    (place / f"{name}.csv").write_text(CSV + rows)
    _run("import", str(place / f"{name}.csv"), "--out", str(place / name))
    return place / name


def _run(*words: str) -> str:
    done = CliRunner().invoke(build_app(), list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


def test_the_command_reads_directories(tmp_path: Path) -> None:
    old, new = _imported(tmp_path, "claimed", 150), _imported(tmp_path, "again", 100)
    sent = _run("report", str(new), "--retracts", str(old), "--format", "mail", "--in-reply-to", "<a@b.example>")
    assert "In-Reply-To: <a@b.example>" in sent and "Its claim does not hold." in _flat(sent)
    with pytest.raises(BadInput, match="takes --format alone"):
        _run("report", str(new), "--retracts", str(old), "--rules", "seed")


@pytest.mark.slow
def test_the_command_reads_bundles(tmp_path: Path) -> None:
    old, new = _imported(tmp_path, "claimed", 150), _imported(tmp_path, "again", 100)
    _run("bundle", "pack", str(old), "--out", str(tmp_path / "old.tar.zst"))
    record = json.loads(_run("report", str(new), "--retracts", str(tmp_path / "old.tar.zst"), "--format", "json"))
    assert (record["schema"], record["command"]) == ("kassay-retraction/1", "inconclusive")


def test_the_size_of_a_change_is_taken_back_without_a_command_for_the_tracker() -> None:
    """A factor of 1.67 becomes +9.7 %: the regression stays, and so does its entry in the tracker."""
    smaller = _new(change=0.097, head_value=380.4, interval=(0.09, 0.104))
    taken = retraction(smaller, OLD)
    sent = _mail(taken)
    flat = _flat(sent)
    assert (taken.command, taken.regzbot) == ("", "")
    assert "There is a change, but not one of this size." in flat and "#regzbot" not in sent
    assert "the size is another one: 346.8 on v6.16.12 and 380.4 ns per page on v6.17.13 (+9.7%), not +66.7%." in flat


def test_overlapping_intervals_are_the_same_size() -> None:
    with pytest.raises(BadInput, match="the same size"):
        retraction(_new(change=0.63, interval=(0.6, 0.66)), OLD)

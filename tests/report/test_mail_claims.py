# SPDX-License-Identifier: GPL-2.0-only
"""Claims of a mail are limited: who built the kernels, where a regression began, what was left open, how to repeat
it."""

import re
import shlex
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from kassay.model.build import BuildSource
from kassay.model.experiment import Axis, labels
from kassay.model.kernel import KernelIdentity
from kassay.model.reason import reason
from kassay.model.records import Setting
from kassay.model.report import AuditTable, Report
from kassay.report.formats import format_named
from kassay.report.mail.headline import introduced, subject_line
from tests.report.reports import SAMPLES

MAIL = format_named("mail")


def _flat(report: Report) -> str:
    return " ".join(MAIL.render(report).split())


def _kernels(report: Report, *changes: Mapping[str, object]) -> Report:
    """A report whose first kernels have other fields."""
    both = zip(report.kernels, changes, strict=False)
    changed = tuple(replace(kernel, **fields) for kernel, fields in both)
    return replace(report, kernels=(*changed, *report.kernels[len(changes) :]))


def test_kernels_of_different_compilers_are_never_announced_as_a_regression() -> None:
    report = SAMPLES["timed"]()
    assert subject_line(report).startswith("[REGRESSION]")
    assert subject_line(_kernels(report, {"compiler": "gcc (Debian 14.2.0) 14.2.0"})).startswith("[PERF]")


@pytest.mark.parametrize(
    ("sums", "said"),
    [
        (("ab" * 32, "ab" * 32), "configuration: the same (sha256 abababababababab)"),
        (("ab" * 32, "cd" * 32), "differs (sha256 v6.16.12 abababababababab, v6.17.13 cdcdcdcdcdcdcdcd)"),
        (("ab" * 32, None), "configuration: not known of all (sha256 v6.16.12 abababababababab, v6.17.13 not known)"),
        ((None, None), "configuration: not known -"),
    ],
)  # fmt: skip
def test_a_mail_always_says_whether_the_configuration_is_the_same(sums: tuple[str | None, ...], said: str) -> None:
    assert said in _flat(
        _kernels(SAMPLES["timed"](), *({"config_sha256": text, "configuration": None} for text in sums))
    )


def test_the_subject_is_about_another_phase_if_the_primary_one_did_not_change() -> None:
    report = SAMPLES["compare"]()
    primary = next(f for f in report.findings if f.primary)
    same = replace(primary, verdict="equivalent", change=0.0)
    other = replace(primary, primary=False, metric="unmap", verdict="regression", change=0.027)
    better = replace(other, metric="touch", verdict="improvement", change=-0.5)
    assert "instructions per page the same on" in subject_line(replace(report, findings=(same,)))
    assert "+2.7% instructions per page on" in (line := subject_line(replace(report, findings=(same, better, other))))
    assert line.endswith("phase unmap")
    assert "phase" not in subject_line(replace(report, findings=(primary, other)))


def test_one_perturbed_boot_is_one_boot() -> None:
    report = SAMPLES["compare"]()
    few = [
        replace(f, sides=tuple(replace(side, perturbed=side.perturbed[:1]) for side in f.sides))
        for f in report.findings
    ]
    assert "two further boots of each kernel" in _flat(report)
    assert "one further boot of each kernel" in _flat(replace(report, findings=tuple(few)))


def _sides(report: Report, *changes: Mapping[str, object]) -> Report:
    one = report.findings[0]
    sides = tuple(replace(side, **fields) for side, fields in zip(one.sides, changes, strict=True))
    return replace(report, findings=(replace(one, sides=sides),))


def test_boots_are_counted_for_each_kernel_where_they_differ() -> None:
    report = SAMPLES["compare"]()
    runs = report.findings[0].sides[1].runs
    text = _flat(_sides(report, {}, {"runs": runs[:1], "perturbed": ()}))
    assert "v6.16.12 was booted twice and v6.17.13 once with nothing changed" in text
    assert "that a second boot of v6.17.13 would give the same is not shown" in text
    assert "In two further boots of v6.16.12 and none of v6.17.13 things were moved" in text
    assert "both gave the same" not in text and "Each kernel" not in text
    more = _flat(_sides(report, {}, {"runs": (*runs, runs[0])}))
    assert "booted twice and v6.17.13 3 times with nothing changed; all gave the same figure" in more


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("mode: 19 of 20 rounds", "its figure is the one that most repetitions gave."),
        (
            "mean of 19 rounds, 1 warm-up set apart: rounds are of two kinds",
            "its figure is the mean of the steady ones.",
        ),
        ("median of 20 rounds", "its figure is the median of the steady ones."),
    ],
)
def test_the_figure_of_a_boot_is_the_one_that_the_method_names(method: str, said: str) -> None:
    assert said in _flat(_sides(SAMPLES["compare"](), {"method": method}, {"method": method}))


def test_a_mail_names_the_options_that_differ() -> None:
    changes = ({"config_sha256": digit * 64, "configuration": (Setting(name="HZ", value=digit),)} for digit in "12")
    assert "configuration: differs in HZ (sha256" in _flat(_kernels(SAMPLES["timed"](), *changes))


def _released(base: tuple[str, str], head: tuple[str, str]) -> str:
    """Text of a mail on the range between two kernels, each a reference and a release."""
    kernels = tuple(
        KernelIdentity(ref=ref, arch="x86_64", release=release, image_sha256=None) for ref, release in (base, head)
    )
    return "\n".join(introduced(replace(SAMPLES["timed"](), kernels=kernels)))


def test_the_range_is_one_that_upstream_knows_or_is_said_not_to_be_known() -> None:
    plain = _released(("image:a", "6.16.0"), ("image:b", "6.17.0-rc3"))
    assert plain.endswith("\n#regzbot introduced: v6.16..v6.17-rc3") and "Debian" not in plain
    stable = _released(("debian:6.17.3", "6.17.3+deb14-amd64"), ("debian:6.17.8", "6.17.8+deb14-amd64"))
    assert "#regzbot introduced: v6.17.3..v6.17.8" in stable and "as packaged by Debian" in stable
    for own in ("6.17.0-rc3-00012-g444fc9435e57", "6.17.13-mine", "unknown"):
        text = _released(("debian:6.16.12", "6.16.12+deb14-amd64"), ("image:b", own))
        assert "not known in upstream terms" in text and "#regzbot" not in text


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ("6.17.13", "6.16.12"),
        ("6.17.0", "6.17.0-rc3"),
        ("6.17.8", "6.17.3"),
        ("6.10.0", "6.9.0"),
    ],
)
def test_no_range_ends_before_it_begins(base: str, head: str) -> None:
    assert "introduced:" not in _released(("image:a", base), ("image:b", head))
    assert "introduced:" in _released(("image:b", head), ("image:a", base))


@pytest.mark.parametrize(
    ("ref", "known"),
    [
        ("build:~/linux@v6.17", True),
        ("arm64/build:~/linux@v6.17,cc=gcc-14", True),
        ("build:debian-source:6.17", True),
        ("build:release:6.17,tree=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", True),
        ("build:~/linux@v6.17+fix.patch", False),
        ("build:~/linux@fast-gup", False),
        ("build:~/linux", False),
        ("build:debian-source:6.17+fix.patch", False),
    ],
)
def test_a_range_ends_at_a_build_of_the_exact_tag_only(ref: str, known: bool) -> None:
    text = _released(("debian:6.16.12", "6.16.12+deb14-amd64"), (ref, "6.17.0"))
    assert ("#regzbot introduced: v6.16..v6.17" in text) is known


def test_a_build_that_records_patches_is_no_release() -> None:
    build = BuildSource(base="release:6.17", version="6.17", tree="a" * 40, patches=("mm: faster",))
    report = _kernels(SAMPLES["timed"](), {}, {"ref": "release:6.17", "release": "6.17.0", "build": build})
    assert "#regzbot" not in "".join(introduced(report))


@pytest.mark.parametrize("changes", [{"cmdline": "init_on_alloc=1"}, {"cpu": "qemu64"}])
def test_kernels_that_booted_differently_are_never_announced_as_a_regression(changes: dict[str, str]) -> None:
    report = SAMPLES["timed"]()
    first, second = report.experiment.kernels
    experiment = replace(report.experiment, kernels=(first, replace(second, **changes)))
    one = report.findings[0]
    sides = tuple(replace(side, kernel=label) for side, label in zip(one.sides, labels(experiment), strict=True))
    report = replace(report, experiment=experiment, findings=(replace(one, sides=sides),))
    assert subject_line(report).startswith("[PERF]") and introduced(report) == []


def test_parameters_that_both_kernels_have_change_nothing() -> None:
    report = SAMPLES["timed"]()
    uses = tuple(replace(use, cmdline="init_on_alloc=1") for use in report.experiment.kernels)
    assert subject_line(replace(report, experiment=replace(report.experiment, kernels=uses))).startswith("[REGRESSION]")


def test_what_was_still_open_when_a_session_ended_is_named() -> None:
    report = SAMPLES["timed"]()
    touch = replace(report.findings[0], metric="touch", primary=False, verdict="inconclusive")
    assert "the main figure was decided, so it ended early (not decided: touch)" in _flat(
        replace(report, findings=(*report.findings, touch))
    )
    assert "not decided" not in _flat(report)


def test_a_check_without_an_interval_does_not_claim_that_it_would_have_seen_anything() -> None:
    report = SAMPLES["timed"]()
    first = report.findings[0]
    assert first.timing is not None and first.timing.control is not None
    blind = replace(first.timing, control=replace(first.timing.control, interval=None))
    text = _flat(replace(report, findings=(replace(first, timing=blind),)))
    assert "how large one would have shown is not known" in text and "as it should be" not in text


def test_time_under_an_emulator_is_called_emulated_in_the_subject_and_in_the_first_sentence() -> None:
    report = SAMPLES["emulated_time"]()
    assert "1.67x the emulated time per page" in subject_line(report)
    assert "takes 1.67x as much emulated time per page" in _flat(report)
    undecided = replace(report, findings=(replace(report.findings[0], verdict="inconclusive"),))
    assert "emulated time per page on v6.17.13 against v6.16.12 not decided" in subject_line(undecided)
    assert "takes more emulated time on" in _flat(undecided)


def test_below_times_stands_that_the_change_is_not_the_ratio_of_the_medians() -> None:
    for sample in ("timed", "matrix", "imported"):
        assert "it need not be the ratio of the two medians" in _flat(SAMPLES[sample]())
    for sample in ("ladder", "robot"):
        assert "it need not be" not in _flat(SAMPLES[sample]())


def _command(report: Report) -> list[str]:
    block = MAIL.render(report).partition("To reproduce:\n\n")[2].partition("\n\n")[0]
    return shlex.split(block.replace(" \\\n", " ").strip().splitlines()[0])


def _option(words: list[str], name: str) -> str:
    return words[words.index(name) + 1]


def test_the_command_has_the_experiments_own_numbers_and_both_clocks() -> None:
    counts = SAMPLES["compare"]()
    counts = replace(counts, experiment=replace(counts.experiment, repeats=3, perturb=4))
    words = _command(counts)
    assert (_option(words, "--repeats"), _option(words, "--perturb")) == ("3", "4") and "--clock" not in words
    beside = SAMPLES["timed"]().beside
    both = _command(replace(counts, beside=beside))
    assert _option(both, "--clock") == "icount,kvm" and "--repeats" not in both
    alone = _command(replace(SAMPLES["timed"](), beside=()))
    assert (_option(alone, "--clock"), _option(alone, "--repeats")) == ("kvm", "24")


def test_command_of_a_gap_measures_all_three_kernels() -> None:
    words = _command(SAMPLES["gap"]())
    assert words[:6] == ["kassay", "gap", "mprotect", "debian:6.12.117", "debian:6.19.14", "debian:7.0.13"]
    report = SAMPLES["gap"]()
    uses = [
        replace(use, cmdline=text) for use, text in zip(report.experiment.kernels, ("a b", "a", "a c"), strict=True)
    ]
    words = _command(replace(report, experiment=replace(report.experiment, kernels=tuple(uses))))
    assert [_option(words, f"--cmdline{side}") for side in ("", "-base", "-head")] == ["a", "b", "c"]
    for text in ("d", "ab"):
        other = replace(uses[0], cmdline=text)
        words = _command(replace(report, experiment=replace(report.experiment, kernels=(other, *uses[1:]))))
        assert words[1] == "compare"


def test_command_measures_all_settings_that_the_table_has() -> None:
    report = SAMPLES["compare"]()
    experiment = replace(report.experiment, cpus=(1, 2), memory_bytes=(1 << 30, 2 << 30))
    words = _command(replace(report, experiment=experiment))
    assert (_option(words, "--cpus"), _option(words, "--memory")) == ("1,2", "1GiB,2GiB") and "--paired" not in words
    assert "--paired" in _command(replace(report, experiment=replace(experiment, paired=True)))
    (use,) = experiment.workloads
    use = replace(use, axes=(Axis(name="share", values=("private", "shared")),))
    assert _option(_command(replace(report, experiment=replace(experiment, workloads=(use,)))), "--set") == (
        "share=private,shared"
    )


def test_options_of_one_machine_are_not_told_of_all() -> None:
    report = SAMPLES["compare"]()
    machine = replace(report.machine, options=("-cpu", "qemu64", "-smp", "4"))
    first = report.findings[0]
    several = (first, replace(first, machine=replace(first.machine, cpus=4)))
    assert "- its options: -cpu qemu64 -smp 4" in _flat(replace(report, machine=machine))
    assert "- options of the one with 4 CPUs: -cpu qemu64 -smp 4" in _flat(
        replace(report, machine=machine, findings=several)
    )


def test_a_reader_is_told_where_the_program_is_from_and_how_to_do_without_it() -> None:
    text = _flat(SAMPLES["compare"]())
    assert "from its own source tree" in text and "kassay bundle pack again" in text and "reproducer.c" in text
    assert not re.search(r"https?://|<[A-Z]|\bURL\b", text)


def test_the_processors_that_are_on_are_called_so() -> None:
    report = SAMPLES["ladder"]()
    audits = tuple(
        AuditTable(kernel=a.kernel, settings=a.settings, moment=a.moment, fields=(*a.fields, ("cpus.online", "0")))
        for a in report.audits
    )
    text = MAIL.render(replace(report, audits=audits, gate_fields=(*report.gate_fields, "cpus.online")))
    assert "  CPU 0 online\n" in text and "cpus.online" not in text


def test_a_state_that_is_not_known_is_said_once() -> None:
    report = replace(SAMPLES["compare"](), state=reason("memory-not-known"), audits=())
    assert "State of memory: unknown: no run succeeded." in _flat(report)


def test_a_definition_stands_whole() -> None:
    report = SAMPLES["compare"]()
    one = replace(report.findings[0], definition="the sum (a and b; with share=private b only), per page")
    assert "the sum (a and b; with share=private b only), per page" in _flat(replace(report, findings=(one,)))


def test_the_largest_step_of_a_timed_ladder_has_its_boots_and_its_interval() -> None:
    text = _flat(SAMPLES["matrix"]())
    assert "587.2 instead of 355.7 ns per page (10 and 10 boots; 98.4% interval of the change: " in text

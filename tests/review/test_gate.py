# SPDX-License-Identifier: GPL-2.0-only
"""`kassay ci`: limits, exit status, and what people and runners get."""

import re
from pathlib import Path

import pytest
from junitparser import JUnitXml
from msgspec import structs

from kassay.errors import BadInput
from kassay.labs.review.commands._ci_answer import _command, _limits, _to_runner, answer
from kassay.labs.review.commands._ci_options import Gating
from kassay.labs.review.gate import exit_status
from kassay.labs.review.gate_model import EQUAL, NOT_MEASURED, Gate, Limit
from kassay.labs.review.given import Range, range_in
from kassay.labs.review.limits import Limits, limit_of, limits_in, parse, percent
from kassay.labs.review.model import Left
from kassay.labs.review.report import GATE
from kassay.labs.review.report._gate import SUMMARY, counts_text, headline, summary
from kassay.labs.review.report._gate_forms import annotations
from kassay.labs.review.result import cells_of
from tests.building._repository import run, series
from tests.report.parts import finding
from tests.report.reports import ladder
from tests.review.reviews import cell, gate

LOSS, GAIN = cell("regression", 0.03, order="9"), cell("improvement", -0.1)
SAME = structs.replace(cell("equivalent", 0.0), verdict=EQUAL)


def limit(text: str, **fields: str) -> Limit:
    return Limit(workload="folio_fork", limit=percent(text, ""), reason="known", **fields)


def test_a_regression_beyond_the_limit_fails_and_others_pass() -> None:
    assert [row.over for row in gate(LOSS, GAIN, SAME).cells] == [True, False, False]
    assert [exit_status(one) for one in (gate(LOSS, GAIN), gate(GAIN, SAME))] == [1, 0]


def test_an_accepted_regression_passes_and_its_reason_is_kept() -> None:
    found = gate(LOSS, limits=(limit("3.5 %"),))
    assert (exit_status(found), found.cells[0].accepted, found.unused) == (0, "known", ())
    assert "1 accepted" in counts_text(found)
    for form in ("terminal", "summary"):
        assert "folio_fork order=9 +3.0 %: known" in GATE.form(form).render(found)
    assert exit_status(gate(LOSS, limits=(limit("2 %"),))) == 1


def test_limits_that_nothing_needed_are_listed() -> None:
    entry = limit("3 %", setting="order=4")
    assert gate(LOSS, limits=(entry,)).unused == (entry,)


def test_a_stricter_limit_that_fails_the_job_is_not_called_unneeded() -> None:
    entry = limit("0.1 %")
    found = gate(cell("regression", 0.003), limits=(entry,))
    assert (exit_status(found), found.unused) == (1, ())
    assert gate(cell("regression", 0.0008), limits=(entry,)).unused == (entry,)


@pytest.mark.parametrize("verdict", ["equivalent", "inconclusive"])
def test_a_limit_that_decides_below_the_floor_is_used(verdict: str) -> None:
    entry = limit("3 %")
    assert gate(cell(verdict, 0.009), limits=(entry,)).unused == ()
    assert gate(cell(verdict, 0.004), limits=(entry,)).unused == (entry,)
    assert gate(GAIN, limits=(entry,)).unused == (entry,)


@pytest.mark.parametrize(
    ("fields", "covered"),
    [({}, True), ({"setting": "order=9"}, True), ({"setting": "order=2"}, False), ({"phase": "iteration"}, True),
     ({"phase": "exit"}, False)],
)  # fmt: skip
def test_an_entry_covers_its_setting_and_phase(fields: dict[str, str], covered: bool) -> None:
    assert (limit_of(LOSS, (limit("3 %", **fields),)) is not None) == covered


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (gate(cell("inconclusive", 0.01)), 4),
        (gate(cell("state-mismatch", None)), 4),
        (gate(structs.replace(LOSS, verdict=NOT_MEASURED)), 4),
        (gate(SAME, failed=(Left(what="folio_fork order=9", why="panic"),)), 4),
        (gate(SAME, left=(Left(what="folio_fork", why="the budget"),)), 4),
        (gate(SAME, impossible=(Left(what="ksm_unmerge", why="no CONFIG_KSM"),)), 0),
        (gate(), 4),
        (gate(same_image=True), 0),
    ],
)
def test_exit_status_without_a_verdict(found: Gate, status: int) -> None:
    assert exit_status(found) == status
    if status and found.cells:
        assert exit_status(found, ["folio_fork"]) == 0


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (gate(SAME, failed=(Left(what="page_fault", why="panic"),)), "1 setting failed on head only"),
        (gate(cell("state-mismatch", None)), "1 phase refused"),
        (gate(SAME, cell("inconclusive", 0.09)), "1 phase inconclusive"),
        (
            gate(cell("inconclusive", 0.09), cell("incomplete", None, order="9")),
            "1 phase refused and 1 phase inconclusive",
        ),
        (gate(structs.replace(LOSS, verdict=NOT_MEASURED)), "1 phase not measured"),
        (gate(), "no phase ran on both kernels"),
    ],
)
def test_a_headline_never_reads_as_passed_if_something_is_not_decided(found: Gate, text: str) -> None:
    assert headline(found) == f"not decided: {text}"
    assert summary(found).splitlines()[0] == f"### kassay: not decided: {text}"
    assert exit_status(found) == 4


def test_what_may_have_no_verdict_passes_and_is_named() -> None:
    found = gate(SAME, cell("state-mismatch", None), allowed=("folio_fork",))
    assert headline(found) == "nothing over the limit; without a verdict, as allowed: 1 phase refused"
    read = JUnitXml.fromstring(GATE.form("junit").render(found).partition("?>")[2])
    assert (read.errors, read.skipped) == (0, 1)


def test_phases_that_are_not_decided_are_errors_of_junit_and_have_their_reason() -> None:
    why = structs.replace(cell("inconclusive", 0.09), reason="the change may be from -1 % to +19 %")
    found = gate(why, cell("inconclusive", 0.02, order="9"))
    read = JUnitXml.fromstring(GATE.form("junit").render(found).partition("?>")[2])
    assert (read.tests, read.failures, read.errors, read.skipped) == (2, 0, 2, 0)
    assert [case.result[0].message for case in next(iter(read))] == [
        "not decided, +9.0 %: the change may be from -1 % to +19 %", "not decided, +2.0 %",
    ]  # fmt: skip
    assert "folio_fork: the change may be from -1 % to +19 %" in GATE.form("terminal").render(found)
    assert "Not decided: folio_fork and folio_fork order=9." in summary(found)


@pytest.mark.parametrize("name", ["page_fault", "numpy_job"])
def test_a_suite_of_workloads_or_of_applications_has_rows(name: str) -> None:
    one = structs.replace(finding("a", "b", (300.0, 300.0), "iteration"), workload=name, settings=())
    (row,) = cells_of(structs.replace(ladder(), findings=(one,), ladders=()), once=True)
    assert row.workload == name and row.subject


def test_the_first_sentence_counts_every_phase() -> None:
    noise = structs.replace(cell("equivalent", 0.001), floor=0.002)
    less = cell("equivalent", -0.001)
    found = gate(LOSS, GAIN, SAME, cell("equivalent", 0.001), noise, less, cell("state-mismatch", None))
    assert counts_text(found) == (
        "7 phases of suite mm ran on both kernels: 1 equal to the digit, 1 within the noise floor, 2 cost less, "
        "1 over the limit, 1 cost more below it and 1 refused."
    )
    assert headline(found) == "1 phase over the limit; 1 cost more below it"
    assert headline(gate(LOSS, SAME)) == "1 phase over the limit"
    open_ = gate(structs.replace(LOSS, verdict=NOT_MEASURED), cell("inconclusive", 0.02), GAIN)
    assert "0 cost more below it, 1 not decided, 1 differ and were not measured" in counts_text(open_)
    assert headline(gate(LOSS, limits=(limit("5 %"),))) == "nothing over the limit"
    assert "the same image" in counts_text(gate(same_image=True))
    left = (Left(what="folio_fork", why="the budget"),)
    assert headline(gate(SAME, left=left)) == "not decided: 1 setting not measured"


def test_what_costs_more_below_the_limit_is_shown() -> None:
    found = gate(cell("equivalent", 0.004), structs.replace(cell("equivalent", 0.004, order="2"), floor=0.005))
    text = GATE.form("terminal").render(found)
    assert "+0.4 %  below the limit" in text
    assert "folio_fork order=2" not in text
    assert "**+0.4 %**" not in summary(found) and "+0.4 %" in summary(found)


def test_a_summary_has_at_most_four_kilobytes_and_says_what_it_leaves_out() -> None:
    many = [cell("regression", 0.01 * n, order=f"{n}" * 30) for n in range(1, 99)]
    text = summary(gate(*many))
    assert len(text.encode()) <= SUMMARY
    shown = len(re.findall(r"^\| folio_fork", text, re.M))
    assert f"{98 - shown} more in the report" in text
    assert "more in the report" not in summary(gate(LOSS))


def test_junit_is_read_by_its_parser(tmp_path: Path) -> None:
    found = gate(
        LOSS, SAME, cell("state-mismatch", None), structs.replace(LOSS, verdict=NOT_MEASURED),
        impossible=(Left(what="ksm_unmerge", why="no CONFIG_KSM & no <file>"),),
    )  # fmt: skip
    path = tmp_path / "kassay.xml"
    path.write_text(GATE.form("junit").render(found))
    read = JUnitXml.fromfile(str(path))
    assert (read.tests, read.failures, read.errors, read.skipped) == (5, 1, 1, 2)
    case = next(iter(next(iter(read))))
    assert (case.classname, case.name) == ("folio_fork", "iteration order=9 size=4MiB")
    assert case.result[0].message == "+3.0 % instructions/page, limit 0.5 %"


@pytest.mark.parametrize("name", ["nowhere/summary", "."])
def test_a_summary_that_cannot_be_written_is_said_and_the_answer_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / name))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    _to_runner(gate(LOSS), "terminal")
    shown = capsys.readouterr()
    assert shown.out.startswith("::error ")
    assert f"ci: GITHUB_STEP_SUMMARY: {tmp_path / name}: " in shown.err


def test_annotations_are_escaped_and_at_most_ten() -> None:
    odd = structs.replace(LOSS, where="a: b, c\n100%")
    (line,) = annotations(gate(odd)).splitlines()
    assert line.startswith("::error file=mm/x.c,line=12,title=folio_fork order=9 +3.0 %25::100 to 103 ")
    assert line.endswith("limit 0.5 %25; a: b, c%0A100%25")
    assert len(annotations(gate(*[LOSS] * 30)).splitlines()) == 10


def test_metrics_are_whole_values() -> None:
    lines = GATE.form("metrics").render(gate(LOSS)).splitlines()
    assert lines == ['instructions_per_page{workload="folio_fork order=9",phase="iteration"} 103.0', "# EOF"]


def test_a_file_of_limits(tmp_path: Path) -> None:
    path = tmp_path / "limits.toml"
    path.write_text('[[limit]]\nworkload = "folio_fork"\nsetting = "order=9"\nlimit = "3 %"\nreason = "known"\n')
    assert limits_in(path) == (limit("3 %", setting="order=9"),)


def test_limits_are_those_of_the_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository, _ = series(tmp_path, monkeypatch)

    def limits(range_: str) -> Limits:
        return _limits(Gating(), range_in(range_, repository))

    def committed(text: str) -> None:
        (repository / ".kassay" / "limits.toml").write_text(text)
        run(repository, "add", "-A")
        run(repository, "commit", "-q", "-m", "limits")

    assert limits("main~1..main") == Limits()
    (repository / ".kassay").mkdir()
    entry = '[[limit]]\nworkload = "folio_fork"\nlimit = "3 %"\nreason = "known"\n'
    (repository / ".kassay" / "limits.toml").write_text(entry)
    assert limits("main~1..main") == Limits()  # it is not committed
    run(repository, "checkout", "-q", "-b", "work")
    committed(entry)
    assert limits("main..work") == Limits((limit("3 %"),), (limit("3 %"),))
    committed(entry.replace("3 %", "4 %"))
    assert limits("work~1..work") == Limits((limit("4 %"),), (limit("4 %"),), (limit("3 %"),))
    committed("[[limit]]")
    committed(entry)
    assert limits("work~1..work").added == (limit("3 %"),)


def test_a_range_that_changes_its_own_limits_says_so_first() -> None:
    found = gate(LOSS, limits=(limit("5 %"),), limits_added=(limit("5 %", setting="order=9"),))
    text = "This range changes .kassay/limits.toml: +1 accepted (folio_fork order=9 up to 5 %)."
    assert summary(found).splitlines()[2] == text
    assert GATE.form("terminal").render(found).splitlines()[1].strip().startswith(text[:60])
    removed = gate(LOSS, limits_removed=(limit("5 %"),))
    assert "This range changes .kassay/limits.toml: -1 accepted." in summary(removed)


@pytest.mark.parametrize(
    ("entry", "what", "remedy"),
    [
        ({"workload": "folio_frok"}, "unknown workload 'folio_frok'", "did you mean folio_fork?"),
        ({"phase": "frok"}, "folio_fork has no phase 'frok'", "did you mean fork?"),
        ({"setting": "ordr=9"}, "folio_fork has no parameter 'ordr'", "did you mean order?"),
        ({"setting": "order=99"}, "folio_fork has no order '99'", "did you mean 9?"),
        (
            {"setting": "order=9 private"},
            "setting 'order=9 private': not words NAME=VALUE",
            'write setting = "order=9"',
        ),
        ({"setting": "order 9"}, "setting 'order 9': not words NAME=VALUE", 'write setting = "order=9"'),
        ({"reasn": "x"}, "unknown field `reasn`", "did you mean reason?"),
    ],
)
def test_a_name_that_matches_nothing_is_refused_with_the_nearest_one(
    entry: dict[str, str], what: str, remedy: str
) -> None:
    table = {"workload": "folio_fork", "limit": "3 %", "reason": "known", **entry}
    text = "[[limit]]\n" + "".join(f'{name} = "{value}"\n' for name, value in table.items())
    with pytest.raises(BadInput) as error:
        parse(text, "limits.toml")
    assert what in error.value.what
    assert remedy in error.value.remedy


def test_a_row_of_a_summary_is_not_cut_inside_of_a_number() -> None:
    where = (
        "change_protection +86 (of it change_pte_range +66 at mm/mprotect.c:411, mprotect_folio_pte_batch +16 "
        "at mm/mprotect.c:116)"
    )
    found = structs.replace(LOSS, where=where)
    assert "| change_protection +86 (of it change_pte_range +66 at mm/mprotect.c:411, ...) |" in summary(gate(found))


def test_a_summary_names_no_directory_of_its_runner() -> None:
    found = structs.replace(gate(LOSS), command="kassay ci a..b --limits /home/runner/limits.toml")
    assert "Repeat: `kassay ci a..b --limits limits.toml`" in summary(found)


def test_a_setting_is_matched_by_whole_words() -> None:
    assert limit_of(cell("regression", 0.03, order="10"), (limit("3 %", setting="order=1"),)) is None
    assert limit_of(cell("regression", 0.03), (limit("3 %", setting="size=4MiB order=0"),)) is not None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("limit = 3", "write"),
        ("[[limits]]", "limits: unknown"),
        ('[[limit]]\nworkload = "x"\nlimit = "3 %"\n', "the key reason is missing"),
        ('[[limit]]\nworkload = "mprot"\nlimit = 3\nreason = "y"\n', 'limit = 3: not a text write limit = "3 %"'),
        ('[[limit]]\nworkload = "x"\nlimit = "3 %"\nreason = " "\n', "needs a reason"),
        ('[[limit]]\nworkload = "x"\nlimit = "much"\nreason = "y"\n', "not a percentage"),
        ('[[limit]]\nworkload = "x"\nlimit = "3 %"\nreason = "y"\nworklaod = "z"\n', "unknown field `worklaod`"),
        ("[[limit", "Expected"),
    ],
)
def test_a_wrong_file_of_limits_names_the_entry(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "limits.toml"
    path.write_text(text)
    with pytest.raises(BadInput) as error:
        limits_in(path)
    assert part in f"{error.value.what} {error.value.remedy}"


@pytest.mark.parametrize(
    ("range_", "options", "part"),
    [
        ("main", Gating(), "not a range"),
        ("a...b", Gating(), "not a range"),
        ("a..b", Gating(budget="soon"), "not a time"),
        ("a..b", Gating(fail_over="-1 %"), "not a percentage"),
        ("a..b", Gating(suite="mmm"), "unknown suite"),
        ("a..b", Gating(allow_refused=["nothing"]), "not in suite mm"),
        ("a..b", Gating(), "not inside of a git tree"),
    ],
)
def test_wrong_words_are_refused_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, range_: str, options: Gating, part: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=part):
        answer(range_, options)


def test_the_command_to_repeat_keeps_what_decides_the_answer() -> None:
    options = Gating(budget="2m", allow_refused=["mremap_move", "vma_split"], format_="json")
    commits = Range(Path("linux"), ("origin/main", "HEAD"), "1" * 40, "2" * 40)
    assert _command(commits, options) == (
        "kassay ci 111111111111..222222222222 --budget 2m --allow-refused mremap_move --allow-refused vma_split"
    )

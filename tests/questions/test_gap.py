# SPDX-License-Identifier: GPL-2.0-only
"""A gap is told in words that do not flatter, and its tables add up."""

import pytest
from msgspec.structs import replace

from kassay.model.reason import reason
from kassay.questions.gap import function_table, gap_counts, gap_overview, gap_sentence, gap_tables, lead_of
from kassay.report.mail.headline import subject_line
from tests.report.rendering import rendered
from tests.report.row_reports import CANDIDATE, NEW, OLD, gap, one_gap

NAMES = {OLD: "6.12", NEW: "6.19", CANDIDATE: "7.0"}


@pytest.mark.parametrize(
    ("share", "interval", "words"),
    [
        (0.25, (0.24, 0.26), "7.0 takes back 25.0 % of what 6.19 costs more than 6.12 (between 24.0 % and 26.0 %;"),
        (-0.2, (-0.21, -0.19), "takes back nothing of what 6.19 costs more than 6.12: it costs even more, by 20.0 %"),
        (1.2, (1.19, 1.21), "takes back all of what 6.19 costs more than 6.12 and 20.0 % of it beyond"),
        (1.02, (0.97, 1.08), "takes back all of what 6.19 costs more than 6.12; whether more than that cannot be told"),
        (0.05, (-0.1, 0.2), "takes back 5.0 % of what 6.19 costs more than 6.12, which cannot be told from nothing"),
        (0.0, (0.0, 0.0), "takes back nothing of what 6.19 costs more than 6.12 ("),
        (-0.0003, (-0.0003, -0.0003), "7.0 takes back nothing of what 6.19 costs more than 6.12 (301.6"),
        (0.0003, (0.0003, 0.0003), "7.0 takes back nothing of what 6.19 costs more than 6.12 (301.6"),
        (1.0003, (1.0003, 1.0003), "7.0 takes back all of what 6.19 costs more than 6.12 (301.6"),
        (0.9998, (0.9998, 0.9998), "7.0 takes back all of what 6.19 costs more than 6.12 (301.6"),
    ],
)
def test_a_share_is_said_in_words(share: float, interval: tuple[float, float], words: str) -> None:
    assert words in gap_sentence("Toggling", one_gap(share=share, interval=interval), NAMES)


def test_of_a_gain_a_share_is_given_up() -> None:
    said = gap_sentence("Toggling", one_gap(old_value=698.8, new_value=301.6, candidate_value=400.0), NAMES)
    assert "7.0 gives up 24.9 % of what 6.19 costs less than 6.12" in said


REFUSED = (reason("comparison-refused", base=NEW, head=CANDIDATE, verdict="state-mismatch", because=None),)
NONE = (reason("no-gap", base=OLD, head=NEW, verdict="equivalent"),)
UNDECIDED = (reason("gap-undecided", base=OLD, head=NEW, verdict="inconclusive"),)
OVERLAP = (reason("gap-overlaps"),)


@pytest.mark.parametrize(
    ("changes", "tag", "words"),
    [
        ({"share": None, "interval": None, "reasons": REFUSED}, "[RFC]", "no share can be told of the gap from"),
        ({"share": None, "interval": None, "reasons": NONE}, "[PERF]", "no gap from v6.12.117 to v6.19.14 that"),
        ({"share": None, "interval": None, "reasons": UNDECIDED}, "[RFC]", "no share can be told of the gap from"),
        ({"share": None, "interval": None, "reasons": OVERLAP}, "[RFC]", "no share can be told of the gap from"),
        ({"share": 0.05, "interval": (-0.3, 0.4)}, "[PERF]", "at most 40.0% of the gap"),
        ({"share": -0.2, "interval": (-0.21, -0.19)}, "[PERF]", "none of the gap"),
        ({"share": 0.0003, "interval": (0.0003, 0.0003)}, "[PERF]", "none of the gap"),
        ({"evidence": "partial"}, "[RFC]", "24.9% of the gap"),
        ({"old_value": 698.8, "new_value": 301.6, "candidate_value": 400.0}, "[PERF]", "of the gain from v6.12.117 to"),
    ],
)
def test_a_subject_claims_no_more_than_the_gap_shows(changes: dict[str, object], tag: str, words: str) -> None:
    report = replace(gap(), gaps=(one_gap(**changes),))
    subject = subject_line(replace(report, lead=lead_of(report)))
    assert subject.startswith(f"{tag} ") and words in subject


def test_a_subject_about_several_settings_is_of_one_direction_and_of_all_intervals() -> None:
    loss, gain = one_gap(share=0.4, interval=(0.3, 0.5)), one_gap(share=0.05, old_value=700.0, new_value=300.0)
    for gaps, words in (
        ((loss, gain), "40.0% of the gap from"),
        ((gain, loss), "5.0% of the gain from"),
        ((loss, one_gap(share=0.2, interval=(-0.1, 0.45))), "at most 50.0% of the gap"),
    ):
        report = replace(gap(), gaps=gaps)
        assert words in subject_line(replace(report, lead=lead_of(report)))


def test_only_equivalent_kernels_are_counted_as_no_gap() -> None:
    gaps = [one_gap(share=None, interval=None, reasons=why) for why in (REFUSED, UNDECIDED, OVERLAP, NONE)]
    assert gap_counts(gaps, NAMES) == (
        "0 of 4 primary metrics differ between 6.12 and 6.19. No share can be told for 3.",
    )  # fmt: skip
    assert [row[-1].text for row in gap_overview(gaps, NAMES).rows] == [*["not told"] * 3, "no gap"]


def test_without_a_share_the_reason_is_said() -> None:
    said = gap_sentence("Toggling", one_gap(share=None, interval=None, reasons=OVERLAP), NAMES)
    assert said == "Toggling: no share can be told: runs of old and new overlap."


def test_the_function_table_adds_up_to_the_gap() -> None:
    table = function_table(one_gap(), top=1)
    assert table is not None
    assert [cell.text for cell in table.rows[-1]] == ["together", "+397.2", "+98.8", "24.9 %"]
    assert [row[0].text for row in table.rows] == ["prot_commit_flush_ptes", "1 other", "unattributed", "together"]


def test_a_refused_comparison_has_no_change() -> None:
    why = reason("comparison-refused", base=NEW, head=CANDIDATE, verdict="state-mismatch", because=None)
    refused = one_gap(share=None, interval=None, reasons=(why,))
    (table,) = gap_tables(replace(gap(), gaps=(refused,)), NAMES)
    assert [cell.text for cell in table.rows[0]][-3:-1] == ["-", "-"]
    lost = replace(refused, reasons=(reason("comparison-refused", base=OLD, head=NEW, verdict="x", because=None),))
    texts = [[cell.text for cell in row][-2:] for row in gap_overview((refused, lost), NAMES).rows]
    assert texts == [["+131.7 %", "not told"], ["-", "not told"]]


def test_several_settings_have_a_row_each() -> None:
    machine = replace(one_gap().machine, cpus=4)
    report = replace(gap(), gaps=(one_gap(), one_gap(machine=machine, share=0.5)))
    (table,) = gap_tables(report, NAMES)
    assert table.columns[:4] == ("CPUs", "6.12", "6.19", "7.0")
    assert [row[5].text for row in table.rows] == ["24.9 %", "50.0 %"]


@pytest.mark.parametrize("form", ["terminal", "markdown", pytest.param("html", marks=pytest.mark.slow), "mail", "json"])
def test_every_format_tells_the_share(form: str) -> None:
    assert "24.9" in rendered(form, "gap") or "0.2487" in rendered(form, "gap")


def test_a_mail_about_a_gap_has_it_in_its_subject_and_fits() -> None:
    assert "24.9% of the gap from v6.12.117 to v6.19.14 closed by v7.0.13" in subject_line(gap())
    assert max(map(len, rendered("mail", "gap").splitlines())) <= 76

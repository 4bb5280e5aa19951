# SPDX-License-Identifier: GPL-2.0-only
"""Many workloads: which kernel changed which of them, at a glance, and the way to each difference."""

import json
import re

from tests.report.rendering import rendered


def test_a_row_has_the_first_value_and_then_changes_and_marks() -> None:
    text = rendered("terminal", "suite")
    rows = {line.split()[0]: line.split()[2:] for line in text.splitlines() if re.match(r"  \w+_\w+ +page", line)}
    assert rows["fork_exit"] == ["1", "000", "=", "+9.0", "%", "+9.0", "%"]
    assert rows["brk_cycle"] == ["200", "0.50×", "+9.0", "%", "0.55×"]
    assert rows["pipe_write"] == ["500", "=", "=", "="]
    assert rows["mlock_cycle"] == [
        "300",
        "-",
        "!",
        "=",
    ]  # not measured is no change; the last is compared with the first


def test_the_verdict_counts_steps_names_the_largest_and_what_is_open() -> None:
    verdict = json.loads(rendered("json", "suite"))["verdict"]
    assert verdict.startswith(
        "4 workloads on 3 kernels: 3 steps above the margin in 2 of them, 2 that cost more, 1 that"
    )
    assert "Largest: fork_exit +9.0 % since 6.17.13." in verdict
    assert "folio_add_lru +9 a call since 6.17.13, in 2 workloads" in verdict
    assert "2 comparisons without a verdict." in verdict


def test_every_change_on_the_page_leads_to_its_functions() -> None:
    page = rendered("html", "suite")
    links = re.findall(r'<td class="n (?:regression|improvement)(?: large)?"><a href="#(d\d+)">', page)
    anchors = re.findall(r'<div id="(d\d+)">', page)  # inside of what is folded: then a browser unfolds it
    assert len(links) == 5 and set(links) <= set(anchors) and len(anchors) == len(set(anchors))


def test_only_changes_are_itemised_and_the_others_say_so() -> None:
    findings = json.loads(rendered("json", "suite"))["findings"]
    itemised = {f["verdict"] for f in findings if f["attribution"]}
    assert itemised == {"regression", "improvement"}
    left_out = [f["profile_note_code"]["code"] for f in findings if f["verdict"] == "equivalent"]
    assert set(left_out) == {"not-in-overview"}


def test_a_mail_has_the_changes_by_workload_and_the_shared_function() -> None:
    mail = rendered("mail", "suite")
    assert "  brk_cycle: v6.16.12 0.50x, v6.17.13 +9.0%\n" in mail
    assert "  folio_add_lru +9 a call since v6.17.13, in 2 workloads: brk_cycle\n" in mail

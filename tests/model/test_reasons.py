# SPDX-License-Identifier: GPL-2.0-only
"""Reasons: every code has a text and every text a code; nobody but reason_texts makes or takes apart a sentence."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from kassay.model.reason import Reason, own_words, reason
from kassay.model.reason_texts import TEXTS, reason_text, reasons_text, starts_with_name
from kassay.model.records import from_json, to_json
from tests.source import FILES, ROOT, SOURCE, nodes

RENDERER = SOURCE / "model" / "reason_texts.py"
OTHERS = [path for path in FILES if path != RENDERER]


def strings_of(path: Path) -> list[str]:
    return [node.value for node in nodes(path, ast.Constant) if isinstance(node.value, str)]


def arguments_of(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text.replace("[", "").replace("]", "")) if name} - {"kernel"}


def made() -> Iterator[tuple[str, set[str], bool]]:
    """(code, names of its arguments, whether all of them stand there) of every reason that the source makes by name."""
    for path in FILES:
        for node in nodes(path, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id != "reason":
                continue
            if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                names = {word.arg for word in node.keywords if word.arg is not None}
                yield node.args[0].value, names, all(word.arg is not None for word in node.keywords)


def test_every_code_has_one_text_and_every_text_is_used() -> None:
    assert {code for code, _, _ in made()} - TEXTS.keys() == set()
    strings = {text for path in OTHERS for text in strings_of(path)}
    assert set(TEXTS) - strings == set()


def test_a_text_names_the_arguments_that_its_reason_has() -> None:
    for code, names, complete in made():
        wanted = arguments_of(TEXTS[code])
        assert names == wanted if complete else names <= wanted, code


def test_the_documentation_lists_every_code_with_its_text() -> None:
    page = (ROOT / "docs" / "reference" / "reasons.md").read_text("utf-8")
    listed = dict(re.findall(r"(?m)^\| `([^`]+)` \| (.+) \|$", page))
    assert listed == {code: text.replace("|", "\\|") for code, text in TEXTS.items()}


def test_a_reason_travels_as_a_record() -> None:
    inner = reason("others-executed", "b", run="r1", share=0.5, functions=(("f", 3),), tasks=(), more=None)
    one = reason("comparison-refused", base="a", head="b", verdict="contaminated", because=inner)
    assert from_json(to_json(one), Reason) == one
    assert one["because"] == inner and inner.of("c").kernel == "c"


def test_a_kernel_is_called_as_the_audience_calls_it_wherever_it_stands() -> None:
    names = {"debian:6.1": "v6.1", "debian:6.12": "v6.12"}
    assert reason_text(reason("one-plain-run", "debian:6.1"), names).startswith(
        "v6.1: there is only one unmodified run"
    )
    gap = reason("no-gap", base="debian:6.1", head="debian:6.12", verdict="equivalent")
    assert reason_text(gap, names) == "v6.1 to v6.12 is equivalent: there is no gap to close"
    assert reason_text(own_words("debian:6.1 is told as it is"), names) == "debian:6.1 is told as it is"
    stray = reason("boots-stray", shares=(("debian:6.1", 0.12), ("debian:6.12", 0.5)))
    assert reason_text(stray, names).endswith(": 12% on v6.1, 50% on v6.12")


@pytest.mark.parametrize(("floor", "text"), [(0.0, "zero:"), (2e-9, "<0.001 %:"), (0.0041, "0.4 %:")])
def test_an_exact_zero_differs_from_what_rounds_to_zero(floor: float, text: str) -> None:
    assert reason_text(reason("layout-floor", floor=floor, base_runs=2, head_runs=2)).startswith(f"noise floor {text}")


@pytest.mark.parametrize(("count", "text"), [(1, "1 planned run"), (2, "2 planned runs")])
def test_a_number_stands_with_its_plural(count: int, text: str) -> None:
    assert reason_text(reason("runs-lost", count=count)) == f"{text} never succeeded"
    assert not [code for code, template in TEXTS.items() if "(s)" in template]


def test_what_has_no_value_leaves_no_trace() -> None:
    why = reason("no-plain-run", "a", outcomes=(), detail="")
    assert reason_text(why) == "a: no unmodified run succeeded: none was made yet"
    why = reason("no-plain-run", "a", outcomes=(("panic", 1), ("timeout", 2)), detail="Oops")
    assert reason_text(why) == "a: no unmodified run succeeded: 1 x panic, 2 x timeout (Oops)"


def test_verdicts_of_the_gate_are_described_where_no_glossary_is_at_hand() -> None:
    values = {"base_value": "0", "base": "a", "head_value": "1", "head": "b"}
    inner = reason("state-differs", field="THP", moment="before", **values, more=None)
    why = reason("comparison-refused", base="a", head="b", verdict="state-mismatch", because=inner)
    assert reason_text(why) == "a to b: state-mismatch: THP before the region: 0 on a, 1 on b"
    assert reason_text(why, everyday=True) == "a to b: the state differs: THP before the region: 0 on a, 1 on b"


def test_text_of_others_is_no_template() -> None:
    assert reason_text(own_words("{kernel} [x] {0!k}", "a")) == "a: {kernel} [x] {0!k}"
    assert reasons_text((own_words("one"), own_words("two"))) == "one; two"
    assert starts_with_name(own_words("x", "a")) and not starts_with_name(own_words("x"))


def test_a_reason_never_becomes_a_text_by_itself() -> None:
    with pytest.raises(TypeError, match="reason_text"):
        f"{reason('zero-count')}"


_TAKING_APART = {
    "startswith", "endswith", "partition", "rpartition", "split", "removeprefix", "removesuffix", "replace",
}  # fmt: skip
_SENTENCES = {"reason_text", "reasons_text", "reasons", "disclosures", "doubts", "profile_note", "meaning", "verdict"}


def test_no_module_takes_a_sentence_apart() -> None:
    """Neither a text that reason_text() made, nor a field that holds reasons."""
    wrong = []
    for path in FILES:
        for node in nodes(path, ast.Call):
            if not isinstance(node.func, ast.Attribute):
                continue
            taken = node.func.value if node.func.attr in _TAKING_APART else None
            if isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.args:
                taken = node.args[-1]
            names = {part.id for part in ast.walk(taken) if isinstance(part, ast.Name)} if taken else set()
            names |= {part.attr for part in ast.walk(taken) if isinstance(part, ast.Attribute)} if taken else set()
            wrong += [(path.name, node.lineno)] if names & _SENTENCES and path != RENDERER else []
    assert wrong == []


def test_no_module_but_the_renderer_holds_a_part_of_a_reasons_sentence() -> None:
    parts = {
        part.strip()
        for text in TEXTS.values()
        for part in re.split(r"[{\[][^}\]]*[}\]]|\n", text)
        if len(part.strip()) > 24
    }
    wrong = [
        (path.name, part)
        for path in OTHERS
        for text in strings_of(path)
        if len(text) > 24
        for part in parts
        if part in text
    ]
    assert wrong == []

# SPDX-License-Identifier: GPL-2.0-only
"""The contract of every question that discovery finds."""

import pytest
from msgspec.structs import replace

from kassay.errors import BadInput
from kassay.model.experiment import KernelUse
from kassay.model.question import QUESTIONS, Question
from kassay.registry import discover
from kassay.spec.rules import problems, question_of
from tests.analysis.plans import plan_of

FOUND = discover(QUESTIONS, "QUESTION", Question)
ASKABLE = [question for question in FOUND.values() if question.kernels is not None]
each = pytest.mark.parametrize("question", FOUND.values(), ids=FOUND)
askable = pytest.mark.parametrize("question", ASKABLE, ids=[one.name for one in ASKABLE])


def uses(count: int) -> tuple[KernelUse, ...]:
    return tuple(KernelUse(ref=f"debian:6.{i}") for i in range(count))


@each
def test_its_name_is_that_of_its_file_and_it_has_a_title(question: Question) -> None:
    assert FOUND[question.name] is question
    title = question.title("mprotect_toggle", ("6.12", "6.16", "6.19"))
    assert "mprotect_toggle" in title and title.endswith("?") and "\n" not in title


@askable
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_every_kernel_is_compared_and_no_pair_twice(question: Question, count: int) -> None:
    pairs = list(question.pairs(uses(count)))
    assert len(set(pairs)) == len(pairs)
    assert {index for pair in pairs for index in pair} == (set(range(count)) if count > 1 else set())
    assert all(base < head for base, head in pairs)


@askable
def test_too_few_or_too_many_kernels_are_a_problem_in_its_own_words(question: Question) -> None:
    assert question.kernels is not None
    least, most = question.kernels.least, question.kernels.most
    sound = replace(plan_of(least).experiment, question=question.name)
    assert list(problems(sound)) == [] and question_of(sound) is question
    for count in (least - 1, *([most + 1] if most is not None else [])):
        found = list(problems(replace(sound, kernels=uses(count))))
        assert any(one.startswith(f"kernels: {question.kernels.rule}") for one in found)


def test_a_question_that_makes_many_experiments_cannot_be_asked_by_one() -> None:
    experiment = replace(plan_of(2).experiment, question="bisect")
    (found,) = problems(experiment)
    assert found.startswith("question: unknown 'bisect'; known: ") and "compare" in found
    with pytest.raises(BadInput, match="unknown 'bisect'"):
        question_of(experiment)

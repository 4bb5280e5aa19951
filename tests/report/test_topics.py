# SPDX-License-Identifier: GPL-2.0-only
"""A report is one list of topics, and every block names the readers that it is for."""

import pytest

from kassay.report.comparison import TOPICS
from kassay.report.document import DRAWN, LETTER, PAGE, SCREEN, WRITTEN, Section
from tests.report.rendering import sample_report
from tests.report.reports import SAMPLES


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_block_of_a_topic_names_its_readers(sample: str) -> None:
    for topic in TOPICS:
        for block in topic(sample_report(sample)):
            assert isinstance(block, Section) and block.readers, (topic.__name__, block)
            assert {*block.readers} <= {SCREEN, LETTER, PAGE, WRITTEN, DRAWN}, (topic.__name__, block.readers)


def test_each_topic_stands_in_the_list_once() -> None:
    assert len({*TOPICS}) == len(TOPICS)

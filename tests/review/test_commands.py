# SPDX-License-Identifier: GPL-2.0-only
"""Words of `kassay review` and `kassay ci` that are refused before anything is built."""

import pytest

from tests.commands.conftest import Kassay


@pytest.mark.parametrize("command", ["review", "ci"])
def test_kernels_that_are_built_have_no_flavour(kassay: Kassay, command: str) -> None:
    ended = kassay(command, "a..b", "--flavour", "nope")
    assert ended.status == 2
    assert "--flavour" in ended.err

# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp replay: its options and its answer."""

from kassay.errors import HostLacks


def replay() -> int:
    """Give the page events of a recorded guest to a policy, and compare with what that guest's kernel did."""
    raise HostLacks("kassay pcp replay is not there yet", "use a later kassay")

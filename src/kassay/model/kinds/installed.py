# SPDX-License-Identifier: GPL-2.0-only
"""installed:RELEASE: a kernel that this host's distribution has installed."""

from kassay.model.kinds import Kind

KIND = Kind(
    name="installed",
    order=41,
    grammar="installed:RELEASE of a kernel that is installed here, as /lib/modules has it",
    files=True,
)

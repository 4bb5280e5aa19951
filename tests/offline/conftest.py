# SPDX-License-Identifier: GPL-2.0-only
"""The program itself."""

from tests.commands.conftest import kassay

__all__ = ["kassay"]

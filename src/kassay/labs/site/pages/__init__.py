# SPDX-License-Identifier: GPL-2.0-only
"""Site -> files of the public site."""

from kassay.labs.site.pages.build import write_site

__all__ = ["write_site"]

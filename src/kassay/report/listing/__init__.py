# SPDX-License-Identifier: GPL-2.0-only
"""Answers that are rows: what `kassay history` finds in the archive."""

# SPDX-License-Identifier: GPL-2.0-only
"""The contents of the cache, and room in it."""

# SPDX-License-Identifier: GPL-2.0-only
"""Site -> files of the public site."""

# SPDX-License-Identifier: GPL-2.0-only
"""What a guest's kernel logged of its pages and calls, as it happened: recording it and reading it."""

# SPDX-License-Identifier: GPL-2.0-only
"""Statistics of clocks that jitter: pure functions of numbers, explained in docs/explained/statistics.md."""

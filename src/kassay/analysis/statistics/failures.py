# SPDX-License-Identifier: GPL-2.0-only
"""Boots that failed, as an outcome of their own: does one kernel fail more often than the other?"""


def fisher(base_failed: int, base_tried: int, head_failed: int, head_tried: int) -> float:
    """Fisher's exact test, two-sided p. ValueError: fewer tried than failed, or a negative number.

    A kernel that was never tried gives 1.
    """
    if not 0 <= base_failed <= base_tried or not 0 <= head_failed <= head_tried:
        raise ValueError("failed boots must be between 0 and the boots tried")
    if not base_tried or not head_tried:
        return 1.0
    from scipy.stats import fisher_exact  # half a second to import

    table = [[base_failed, base_tried - base_failed], [head_failed, head_tried - head_failed]]
    return min(1.0, float(fisher_exact(table).pvalue))

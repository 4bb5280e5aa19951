# SPDX-License-Identifier: GPL-2.0-only
"""Source values of seed 003: MADV_PAGEOUT, 16 MiB, 1 CPU, nine boots per kernel, in order of the boots.

Values of the published madvise_pageout_formal_refresh run, nanoseconds per page.
"""

CYCLE = {
    "6.12": (1946.0, 1879.0, 1892.0, 1898.0, 1987.0, 1865.0, 1899.0, 1899.0, 1838.0),
    "6.19": (3335.0, 3325.0, 3278.0, 3278.0, 3301.0, 3328.0, 3299.0, 3255.0, 3343.0),
}
ADVISE = {
    "6.12": (1765.0, 1683.0, 1683.0, 1721.0, 1752.0, 1710.0, 1697.0, 1704.0, 1704.0),
    "6.19": (2962.0, 2941.0, 2898.0, 2898.0, 2925.0, 2922.0, 2941.0, 2872.0, 2945.0),
}

# SPDX-License-Identifier: GPL-2.0-only
"""The page allocator lab: per-CPU page lists (PCP) and the policies that size them, real and simulated."""

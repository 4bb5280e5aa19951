# SPDX-License-Identifier: GPL-2.0-only
"""How the instruction tables of the timing files are made: forms of real code, asked of llvm-mca, then put right."""

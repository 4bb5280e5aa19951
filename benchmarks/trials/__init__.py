# SPDX-License-Identifier: GPL-2.0-only
"""Trials by fault: kills, faults, fuzzing and comparisons of a kernel with itself, in campaigns that can be resumed."""

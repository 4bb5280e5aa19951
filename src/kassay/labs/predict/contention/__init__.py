# SPDX-License-Identifier: GPL-2.0-only
"""Contention: throughput by number of CPUs, from the locks and shared lines of one CPU's trace."""

# SPDX-License-Identifier: GPL-2.0-only
"""Bisection: what to boot next, decided from the log alone; the loop that boots and writes the log."""

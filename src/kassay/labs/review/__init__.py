# SPDX-License-Identifier: GPL-2.0-only
"""A patch series is reviewed: what it costs, where it costs it, and what may be written about it."""

# SPDX-License-Identifier: GPL-2.0-only
"""Measurements and profiles out of a journal's raw bytes, which are parsed again each time."""

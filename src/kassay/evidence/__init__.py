# SPDX-License-Identifier: GPL-2.0-only
"""A journal's raw bytes, read again each time: measurements and profiles."""

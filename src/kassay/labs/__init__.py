# SPDX-License-Identifier: GPL-2.0-only
"""Laboratories: they use the path of an experiment and are no part of it."""

# SPDX-License-Identifier: GPL-2.0-only
"""Loops as pure functions: next_step(question, log) says what to boot next, or what was found."""

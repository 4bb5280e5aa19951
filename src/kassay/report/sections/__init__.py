# SPDX-License-Identifier: GPL-2.0-only
"""The sections of a report, one module for each topic.

A module's functions yield the blocks of a topic for every way of reading. What only some readers get stands in a
section with `readers`.
"""

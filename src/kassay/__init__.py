# SPDX-License-Identifier: GPL-2.0-only
"""kassay weighs what a Linux memory-management change costs."""

__version__ = "0.1.0"

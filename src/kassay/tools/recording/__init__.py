# SPDX-License-Identifier: GPL-2.0-only
"""Recordings of a guest's kernel: its page events and system calls, made and read."""

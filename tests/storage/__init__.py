# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the cache as a store: what it holds, and how room is made."""

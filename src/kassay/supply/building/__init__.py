# SPDX-License-Identifier: GPL-2.0-only
"""Kernels from source: a tree, patches and a configuration become an image, or one object file.

Every source is a git tree in a store of kassay's own (git.py), so content has one name wherever it came from; builds
run in work spaces that are kept, so that the next one compiles only what changed.
"""

# SPDX-License-Identifier: GPL-2.0-only
"""The Debian archive: its packages of kernels, sources and compilers, over an apt root of our own."""

# SPDX-License-Identifier: GPL-2.0-only
"""The machine code of functions, from kernels' images and objects."""

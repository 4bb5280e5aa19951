# SPDX-License-Identifier: GPL-2.0-only
"""What compilers made of a function, for people and for programs."""

# SPDX-License-Identifier: GPL-2.0-only
"""One file for each architecture that can be disassembled, named as the architecture, with a constant DECODER."""

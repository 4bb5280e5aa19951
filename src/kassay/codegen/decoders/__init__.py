# SPDX-License-Identifier: GPL-2.0-only
"""One file per architecture whose functions can be taken apart; file name = its name, each with a constant DECODER."""

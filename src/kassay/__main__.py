# SPDX-License-Identifier: GPL-2.0-only
"""`python -m kassay`: the command line, where the script of this name is not on the path."""

from kassay.cli import main

main()

# SPDX-License-Identifier: GPL-2.0-only
"""One function's machine code, read from object files and kernel images and made comparable.

objects.py and images.py find a function with its parts; a decoder (decoded.py; decoders/ has one for each architecture)
takes it apart; normalise.py puts names in the place of addresses, so that equal code is equal wherever it was linked;
classes.py sorts; counts.py adds executions.
"""

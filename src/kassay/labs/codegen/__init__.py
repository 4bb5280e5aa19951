# SPDX-License-Identifier: GPL-2.0-only
"""One function's machine code, read from object files and kernel images and made comparable.

objects.py and images.py find a function with its parts; a decoder (code.py; decoders/ has one for each architecture)
disassembles it; machine_code/listing.py replaces addresses by names, so that equal code is equal wherever it was
linked, and adds executions; classes.py groups equal code.
"""

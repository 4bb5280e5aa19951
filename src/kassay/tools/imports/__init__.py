# SPDX-License-Identifier: GPL-2.0-only
"""Results of other tools: files in, Samples out; one file per format in formats/."""

# SPDX-License-Identifier: GPL-2.0-only
"""Looking on while an experiment runs: what its directory says so far, as a page in the browser. Changes nothing."""

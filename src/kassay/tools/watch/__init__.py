# SPDX-License-Identifier: GPL-2.0-only
"""Shows a running experiment as a page in the browser, from its directory alone. Changes nothing."""

# SPDX-License-Identifier: GPL-2.0-only
"""On shared cores a slow example is no failure: no test asserts a wall time, hypothesis included."""

from hypothesis import settings

settings.register_profile("shared-cores", deadline=None)
settings.load_profile("shared-cores")

# SPDX-License-Identifier: GPL-2.0-only
"""compare: base against head."""

from kassay.model.question import Kernels, Question, neighbours

QUESTION = Question(
    name="compare",
    kernels=Kernels(least=2, most=2, rule="a comparison has two kernels, base and head"),
    pairs=neighbours,
    overview=True,
    title=lambda work, kernels: f"Did {work} get slower from {kernels[0]} to {kernels[1]}?",
)

# SPDX-License-Identifier: GPL-2.0-only
"""ladder: many kernels in order; where are the steps?"""

from kassay.model.question import Kernels, Question, neighbours_and_ends

QUESTION = Question(
    name="ladder",
    kernels=Kernels(least=2, most=None, rule="a ladder needs at least two kernels"),
    pairs=neighbours_and_ends,
    ladder=True,
    overview=True,
    title=lambda work, _: f"Which kernel made {work} slower?",
)

# SPDX-License-Identifier: GPL-2.0-only
"""Two kernels are compared only when one compiler built both."""

from kassay.analysis.gate import GateRule, Refusal
from kassay.model.reason import own_words


def check(base, head):
    if base.kernel.compiler == head.kernel.compiler:
        return ()
    return (Refusal(verdict="state-mismatch", reason=own_words("the kernels were built by different compilers")),)


RULE = GateRule(name="same_compiler", summary="one compiler built both kernels", order=90, check=check)

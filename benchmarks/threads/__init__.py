# SPDX-License-Identifier: GPL-2.0-only
"""Five threads of linux-mm, replayed: each question, the command that answers it, and the answer.

Each NAME.toml has a thread's questions and the runs that answer them. measured/NAME.json keeps the chosen figures of
these runs. docs/results/threads is written from both.
"""

# SPDX-License-Identifier: GPL-2.0-only
"""Questions, one file each: which kernels are compared, and what the answer says of it.

Each module has a constant QUESTION (kassay.model.question.Question). What is slow to load is imported where it is used:
every experiment file is checked against these.
"""

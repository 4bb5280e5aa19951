# SPDX-License-Identifier: GPL-2.0-only
"""A CPU with round numbers, for known answers of the core model."""

from collections.abc import Mapping

PLAIN: Mapping[str, int | str] = {
    "width": 4, "retire": 8, "rob": 256, "scheduler": 96, "memory_scheduler": 0, "load_queue": 72, "store_queue": 48,
    "ports": 8, "load_ports": 0b00110000, "fetch_bytes": 256, "decode_bytes": 16, "predecode": 0, "decoders": 4,
    "prefix_stall": 0, "jump_boundary": 0, "early_ports": 0, "stack_sync": 0, "microcode_switch": 0, "l1d_chase": 0,
    "opcache_size": 0, "opcache_ways": 8, "opcache_uops": 0, "near_branches": 0, "taken_far": 1,
    "taken_branch": 0, "taken_call": 0,
    "mispredict": 15, "mispredict_return": 15,
    "btb_entries": 4096, "btb_ways": 4, "btb_miss": 8, "bimodal_bits": 12, "tagged_tables": 5,
    "tagged_bits": 10, "history_min": 4, "history_max": 128, "indirect_bits": 10, "indirect_path": 1,
    "return_stack": 16,
    "return_fallback": 0,
    "l1i_size": 32768, "l1i_ways": 8, "l1i_prefetch": 4, "code_ahead": 0, "code_interval": 0,
    "l1d_size": 32768, "l1d_ways": 8, "l1d_latency": 4, "l2_size": 524288, "l2_ways": 8, "l2_latency": 14,
    "l2_interval": 2, "l2_write": 0, "l3_size": 8388608, "l3_ways": 16, "l3_latency": 50, "l3_interval": 4,
    "l3_victim": 0,
    "l3_lifetime": 0, "memory_latency": 300, "memory_interval": 10, "memory_write": 10,
    "fill_buffers": 12, "l2_fills": 32,
    "prefetch_streams": 0, "prefetch_distance": 16, "prefetch_adjacent": 0, "stride_distance": 0, "line_split": 5,
    "dtlb_entries": 64, "dtlb_ways": 64, "stlb_entries": 2048, "stlb_ways": 8, "stlb_latency": 7,
    "pwc_pde": 64, "pwc_pdpte": 16, "pwc_pml4e": 4, "page_walkers": 2, "walk_start": 5, "walk_step": 0,
    "walk_from_l2": 0,
    "store_forward": 5, "store_forward_same": 5, "store_forward_fail": 12, "forward_based": 0, "store_interval": 1,
    "store_together": 1,
    "fence_behind": 0, "lock_near": 64, "lock_soon": 6, "lock_stores": 1,
    "lock_latency": 20, "lock_value": 20, "lock_reload": 0, "lock_interval": 20, "lock_same": 20,
    "lock_apart": 20, "lock_again": 20, "lock_overwritten": 20, "lock_fetches": 0,
    "lock_at_head": 0, "lock_drains_stores": 1, "lock_blocks_loads": 0, "fence_full": 30, "fence_load": 20,
    "exception_entry": 300, "interrupt_entry": 400,
    "rep_short_bytes": 0, "rep_short_start": 5, "rep_word_start": 0, "rep_short_stores": 1,
    "rep_store_start": 30, "rep_store_l1": 2, "rep_store_l2": 4, "rep_store_l3": 8, "rep_store_memory": 16,
    "rep_copy_start": 40, "rep_copy_l1": "2.5", "rep_copy_l2": 5, "rep_copy_l3": 10, "rep_copy_memory": 20,
    "rep_compare": 2,
}  # fmt: skip


def params(**changed: int | str) -> str:
    """The PARAMS file of this CPU, with some parameters changed."""
    assert changed.keys() <= PLAIN.keys()
    return "".join(f"{name} {value}\n" for name, value in {**PLAIN, **changed}.items())

// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "recorder.h"

#define TRACING "/sys/kernel/tracing"

static const char *const page_events[] = {
	"kmem/mm_page_alloc",          "kmem/mm_page_free",          "kmem/mm_page_free_batched",
	"kmem/mm_page_pcpu_drain",     "kmem/mm_page_alloc_extfrag", "kmem/mm_page_alloc_zone_locked",
	"vmscan/mm_vmscan_kswapd_wake", "vmscan/mm_vmscan_kswapd_sleep",
};
/* A kernel that lacks one of these has no such call, or tells of none. */
static const char *const call_events[] = {
	"sched/sched_process_fork",    "sched/sched_process_exec",    "sched/sched_process_exit",
	"syscalls/sys_enter_brk",      "syscalls/sys_enter_madvise",  "syscalls/sys_enter_mincore",
	"syscalls/sys_enter_mlock",    "syscalls/sys_enter_mmap",     "syscalls/sys_enter_mprotect",
	"syscalls/sys_enter_mremap",   "syscalls/sys_enter_msync",    "syscalls/sys_enter_munlock",
	"syscalls/sys_enter_munmap",   "exceptions/page_fault_user",  "kmem/mm_page_alloc",
};
/* The allocator of many pages at a time tells of none of them; what it returns is their number. */
static const char *const bulk[] = { "alloc_pages_bulk_noprof", "__alloc_pages_bulk" };

static char sentence[512];

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t done = fd < 0 ? -1 : write(fd, text, strlen(text));
	int error = errno;

	if (fd >= 0)
		close(fd);
	if (done != (ssize_t)strlen(text))
		snprintf(sentence, sizeof(sentence), "writing %.80s to %.200s: %s", text, path, strerror(error));
	return done == (ssize_t)strlen(text);
}

static bool set(const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), TRACING "/%.200s", file);
	return write_file(path, text);
}

static bool enable(struct stream *stream, const char *event)
{
	char path[256];

	snprintf(path, sizeof(path), TRACING "/events/%.150s/format", event);
	emit_file(stream, "format", path);
	snprintf(path, sizeof(path), "events/%.150s/enable", event);
	return set(path, "1");
}

/* Where the kernel has a function; 0 when that is not told. */
static uint64_t address_of(const char *wanted)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char name[128];
	uint64_t address = 0, found = 0;

	while (symbols && !found && fscanf(symbols, "%" SCNx64 " %*c %127s%*[^\n]", &address, name) == 2)
		found = strcmp(name, wanted) ? 0 : address;
	if (symbols)
		fclose(symbols);
	return found;
}

/* Of all works only the one that refreshes a CPU's counters, and lets its page lists decay. */
static bool watch_vmstat(struct stream *stream)
{
	static const char *const ends[] = { "workqueue/workqueue_execute_start", "workqueue/workqueue_execute_end" };
	uint64_t address = address_of("vmstat_update");
	char path[256], filter[64];

	if (!address) {
		snprintf(sentence, sizeof(sentence), "/proc/kallsyms has no vmstat_update");
		return false;
	}
	snprintf(filter, sizeof(filter), "function == 0x%" PRIx64, address);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(path, sizeof(path), "events/%s/filter", ends[i]);
		if (!set(path, filter) || !enable(stream, ends[i]))
			return false;
	}
	return true;
}

/* Without it a recording is still one: frees of pages that came in bulk are then of unknown pages. */
static void watch_bulk(struct stream *stream)
{
	char probe[128];

	for (size_t i = 0; i < sizeof(bulk) / sizeof(*bulk); i++) {
		snprintf(probe, sizeof(probe), "r:kassay/bulk %s pages=$retval:u32", bulk[i]);
		if (address_of(bulk[i]) && set("kprobe_events", probe) && enable(stream, "kassay/bulk"))
			return;
	}
	emit_absent(stream, "format", TRACING "/events/kassay/bulk/format", ENOENT);
}

static bool watch_pages(struct stream *stream)
{
	for (size_t i = 0; i < sizeof(page_events) / sizeof(*page_events); i++) {
		if (!enable(stream, page_events[i]))
			return false;
	}
	if (!watch_vmstat(stream))
		return false;
	watch_bulk(stream);
	emit_file(stream, "format", TRACING "/events/header_page");
	return true;
}

static bool watch_calls(struct stream *stream)
{
	char path[256];

	for (size_t i = 0; i < sizeof(call_events) / sizeof(*call_events); i++) {
		snprintf(path, sizeof(path), TRACING "/events/%s", call_events[i]);
		if (!access(path, F_OK) && !enable(stream, call_events[i]))
			return false;
	}
	return true;
}

const char *tracing_prepare(struct stream *stream, uint64_t buffer_kb, bool calls)
{
	char size[32];

	if (mount("tracefs", TRACING, "tracefs", 0, NULL) && errno != EBUSY) {
		snprintf(sentence, sizeof(sentence), "this kernel has no tracefs: %s", strerror(errno));
		return sentence;
	}
	snprintf(size, sizeof(size), "%" PRIu64, buffer_kb);
	/* What comes when a buffer is full is counted as lost; what was recorded before stays. */
	if (!set("tracing_on", "0") || !set("trace_clock", "mono") || !set("options/overwrite", "0") ||
	    !set("options/record-cmd", "0") || !set("buffer_size_kb", size))
		return sentence;
	return (calls ? watch_calls(stream) : watch_pages(stream)) ? NULL : sentence;
}

const char *tracing_switch(bool on)
{
	return set("tracing_on", on ? "1" : "0") ? NULL : sentence;
}

/* The pages of one CPU's buffer as the kernel has them; each read gives one. */
static bool read_cpu(struct stream *stream, long cpu)
{
	size_t used = 0, bytes = (size_t)sysconf(_SC_PAGESIZE);
	char path[128], name[32];
	ssize_t got = 0;
	int fd;

	snprintf(name, sizeof(name), "cpu%ld", cpu);
	snprintf(path, sizeof(path), TRACING "/per_cpu/%s/trace_pipe_raw", name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	do {
		got = fd < 0 ? -1 : read(fd, stream->scratch + used, bytes);
		if (got > 0)
			used += (size_t)got;
		if (used && (got <= 0 || used + bytes > stream->scratch_size)) {
			emit(stream, "pages", name, stream->scratch, used);
			used = 0;
		}
	} while (got == (ssize_t)bytes);
	if (got > 0 || (got < 0 && errno != EAGAIN)) {
		snprintf(sentence, sizeof(sentence), "%s: %s", path, got < 0 ? strerror(errno) : "half a page");
		return false;
	}
	close(fd);
	snprintf(path, sizeof(path), TRACING "/per_cpu/%s/stats", name);
	emit_file(stream, name, path);
	return true;
}

const char *tracing_read(struct stream *stream)
{
	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		if (!read_cpu(stream, cpu))
			return sentence;
	}
	return NULL;
}

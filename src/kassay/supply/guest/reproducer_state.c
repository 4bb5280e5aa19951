// SPDX-License-Identifier: GPL-2.0-only
/* What a workload requires of its memory, held against what the kernel says of it before and after the rounds. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_REQUIREMENTS 64

static struct requirement {
	const char *moment, *field, *operator;
	uint64_t value;
} requirements[MAX_REQUIREMENTS];
static size_t requirement_count;
static uint64_t audited_start, audited_end;

/* "Dirty" is private and shared. */
static bool is_of(const char *name, const char *field)
{
	bool dirty = !strcmp(name, "Shared_Dirty") || !strcmp(name, "Private_Dirty");

	return !strcmp(name, field) || (dirty && !strcmp(field, "Dirty"));
}

/* A field of all mappings that touch the range: the sum, or of what is no sum the value, unless they differ. */
static bool smaps_value(const char *field, uint64_t *ret)
{
	bool sum = !strstr(field, "PageSize") && strcmp(field, "THPeligible"), inside = false, found = false;
	FILE *file = fopen("/proc/self/smaps", "re");
	uint64_t start, end, number, vmas = 0;
	char line[512], name[64];

	*ret = 0;
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2) {
			inside = start < audited_end && audited_start < end;
			vmas += inside;
		} else if (inside && sscanf(line, "%63[^:]: %" SCNu64, name, &number) == 2 && is_of(name, field)) {
			*ret = sum ? *ret + number : found && number != *ret ? UINT64_MAX : number;
			found = true;
		}
	}
	if (file)
		fclose(file);
	if (!strcmp(field, "vmas"))
		*ret = vmas;
	return found || !strcmp(field, "vmas");
}

/* Base pages of the range in whose entry of /proc/self/pagemap this bit is set. */
static bool pagemap_value(unsigned int bit, uint64_t *ret)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), entry;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	*ret = 0;
	for (uint64_t at = audited_start; fd >= 0 && at < audited_end; at += page) {
		if (pread(fd, &entry, sizeof(entry), (off_t)(at / page * sizeof(entry))) == sizeof(entry))
			*ret += entry >> bit & 1;
	}
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool swap_devices(uint64_t *ret)
{
	FILE *file = fopen("/proc/swaps", "re");
	char line[512];

	*ret = 0;
	for (bool first = true; file && fgets(line, sizeof(line), file); first = false)
		*ret += !first;
	if (file)
		fclose(file);
	return file;
}

/* Returns false for what this program does not read. */
static bool state_value(const char *field, uint64_t *ret)
{
	if (!strncmp(field, "range.", 6))
		return smaps_value(field + 6, ret);
	if (!strcmp(field, "pagemap.present"))
		return pagemap_value(63, ret);
	if (!strcmp(field, "pagemap.swapped"))
		return pagemap_value(62, ret);
	return !strcmp(field, "swap.devices") && swap_devices(ret);
}

static bool state_holds(const struct requirement *required, uint64_t found)
{
	switch (required->operator[0]) {
	case '<':
		return found <= required->value;
	case '>':
		return found >= required->value;
	case '!':
		return found != required->value;
	}
	return found == required->value;
}

/* Says what holds and what does not at "before" or "after"; returns false when something does not. */
static bool state_check(const char *moment)
{
	unsigned int held = 0, wrong = 0, unread = 0;

	for (size_t i = 0; i < requirement_count; i++) {
		const struct requirement *required = &requirements[i];
		uint64_t found;

		if (strcmp(required->moment, moment))
			continue;
		if (!state_value(required->field, &found)) {
			unread++;
		} else if (state_holds(required, found)) {
			held++;
		} else {
			wrong++;
			printf("THE STATE IS NOT AS REQUIRED %s the rounds: %s must be %s %" PRIu64 ", and is %" PRIu64 "\n", moment,
			       required->field, required->operator, required->value, found);
		}
	}
	printf("state %s the rounds: %u requirements hold, %u do not, %u are not looked at here\n", moment, held, wrong, unread);
	return !wrong;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ports and layouts: hw/watchdog/wdt_ib700.c and docs/specs/fw_cfg.rst of QEMU.
 * Both devices are used by port, which needs no driver and no interrupt, so
 * that the same instructions run after every restore. A watchdog stops the
 * machine, not this program: whatever a program asks for at its own moment,
 * QEMU does a little later, and in between its main loop may, or may not, have
 * moved guest time on to the next timer. The watchdog is a timer of guest time
 * itself. It ends while this program, and with it the CPU, sleeps. fw_cfg copies what is
 * asked for into a page of ours ("DMA interface", big endian; machines with
 * ports are little endian): a program of a megabyte,
 * read byte by byte, would take a second.
 */
#define _DEFAULT_SOURCE
#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"

#define IB700_START 0x443
#define IB700_2_SECONDS 0xe
#define SLEEP_SECONDS 3
#define FW_CFG_DMA 0x514 /* 64 bits, big endian; writing the lower half starts the copy */
#define FW_CFG_FILE_DIR 0x19
#define FW_CFG_ERROR 1
#define FW_CFG_READ 2
#define FW_CFG_SELECT 8
#define PAGEMAP_FRAME ((UINT64_C(1) << 55) - 1)

struct fw_cfg_file { /* numbers are big endian */
	uint32_t size;
	uint16_t select;
	uint16_t reserved;
	char name[56];
};

/* What fw_cfg reads and writes: one page, so that it is in one piece for the device as well. */
static struct page {
	uint32_t control; /* big endian, as length and address */
	uint32_t length;
	uint64_t address;
	uint8_t data[4096 - 16];
} *page;

/* The page's address for the device, or 0: it may move, so it is looked up for each copy. */
static uint64_t page_physical(void)
{
	uint64_t entry = 0, size = (uint64_t)sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return 0;
	got = pread(fd, &entry, sizeof(entry), (off_t)((uintptr_t)page / size * sizeof(entry)));
	close(fd);
	return got == sizeof(entry) ? (entry & PAGEMAP_FRAME) * size : 0;
}

/* Copies the next @size bytes; @control: which file to begin, if any. Returns 0 or -1. */
static int copy(void *into, size_t size, uint32_t control)
{
	uint8_t *to = into;

	while (size) {
		size_t part = size < sizeof(page->data) ? size : sizeof(page->data);
		volatile uint32_t *state = &page->control;
		uint64_t at = page_physical();

		if (!at)
			return -1;
		page->length = __builtin_bswap32((uint32_t)part);
		page->address = __builtin_bswap64(at + offsetof(struct page, data));
		*state = __builtin_bswap32(control | FW_CFG_READ);
		arch_port_write(FW_CFG_DMA, __builtin_bswap32((uint32_t)(at >> 32)), 4);
		arch_port_write(FW_CFG_DMA + 4, __builtin_bswap32((uint32_t)at), 4);
		if (*state) /* done before the write returns; FW_CFG_ERROR else */
			return -1;
		memcpy(to, page->data, part);
		to += part;
		size -= part;
		control = 0;
	}
	return 0;
}

static uint32_t begin(uint16_t select)
{
	return FW_CFG_SELECT | (uint32_t)select << 16;
}

int snapshot_stop(const char **why)
{
	struct timespec end;

	*why = "this machine has no ports, or gives no right to use them";
	if (arch_ports_open())
		return -1;
	*why = "no memory";
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (page == MAP_FAILED)
		return -1;
	*why = "no clock to sleep by";
	if (clock_gettime(CLOCK_MONOTONIC, &end))
		return -1;
	end.tv_sec += SLEEP_SECONDS;
	arch_port_write(IB700_START, IB700_2_SECONDS, 1);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
	return 0;
}

void *snapshot_file(const char *name, size_t *size, const char **why)
{
	struct fw_cfg_file file;
	uint32_t count;
	char *data;

	*why = "fw_cfg cannot be read";
	if (copy(&count, sizeof(count), begin(FW_CFG_FILE_DIR)))
		return NULL;
	for (uint32_t left = __builtin_bswap32(count); left; left--) {
		if (copy(&file, sizeof(file), 0))
			return NULL;
		if (!strncmp(file.name, name, sizeof(file.name)))
			break;
		if (left == 1) {
			*why = "not in fw_cfg";
			return NULL;
		}
	}
	*size = __builtin_bswap32(file.size);
	data = mmap(NULL, *size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED || copy(data, *size, begin(__builtin_bswap16(file.select))))
		return NULL;
	return data;
}

// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "host_time.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "warning.h"

#define STEP_US 200 /* each flush of the table reads the time once: it may shrink after 500 of them */
#define SECOND_US 1000000

static int count_reads(struct timeval *now, void *zone)
{
	static __thread int64_t us;

	(void)zone;
	us += STEP_US;
	*now = (struct timeval){ us / SECOND_US, us % SECOND_US };
	return 0;
}

/* Some C libraries have relocated the addresses in the dynamic section, others have not. */
static const void *at(const struct dl_phdr_info *info, ElfW(Addr) address)
{
	return (const void *)(address < info->dlpi_addr ? address + info->dlpi_addr : address);
}

/* Writes where the program keeps the address of a function; the page may have been made read-only. */
static bool write_slot(ElfW(Addr) slot, int (*function)(struct timeval *, void *))
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (mprotect((void *)(slot & ~(page - 1)), page, PROT_READ | PROT_WRITE))
		return false;
	*(uintptr_t *)slot = (uintptr_t)function;
	return true;
}

static bool replace_in(const struct dl_phdr_info *info, const ElfW(Dyn) *dynamic)
{
	ElfW(Xword) words[DT_NUM] = { 0 };
	struct {
		unsigned int table, size;
	} tables[] = { { DT_JMPREL, DT_PLTRELSZ }, { DT_RELA, DT_RELASZ } };
	const ElfW(Sym) *symbols;
	const char *names;
	bool done = false;

	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag > 0 && dynamic->d_tag < DT_NUM)
			words[dynamic->d_tag] = dynamic->d_un.d_val;
	}
	symbols = at(info, words[DT_SYMTAB]);
	names = at(info, words[DT_STRTAB]);
	for (size_t i = 0; words[DT_SYMTAB] && i < sizeof(tables) / sizeof(*tables); i++) {
		const ElfW(Rela) *rela = at(info, words[tables[i].table]);
		size_t count = words[tables[i].table] ? words[tables[i].size] / sizeof(*rela) : 0;

		for (size_t j = 0; j < count; j++) {
			const char *name = names + symbols[ELF64_R_SYM(rela[j].r_info)].st_name;

			if (ELF64_R_SYM(rela[j].r_info) && !strcmp(name, "gettimeofday"))
				done |= write_slot(info->dlpi_addr + rela[j].r_offset, count_reads);
		}
	}
	return done;
}

/* The first object is the program itself: the plugin and its libraries keep their time. */
static int look_at(struct dl_phdr_info *info, size_t size, void *done)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			*(bool *)done = replace_in(info, (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
	}
	return 1;
}

void host_time_hold(void)
{
	bool done = false;

	dl_iterate_phdr(look_at, &done);
	if (!done)
		warn_of_host("QEMU reads the host's time in an unknown way");
}

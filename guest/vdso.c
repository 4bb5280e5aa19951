// SPDX-License-Identifier: GPL-2.0-only
/* The functions of the vDSO, whose text all processes share: a program may read a clock there and make no call. */
#include <elf.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "emit.h"
#include "vdso.h"

#define LINE_BYTES 80

static const Elf64_Shdr *sections_of(const char *image)
{
	return (const Elf64_Shdr *)(image + ((const Elf64_Ehdr *)image)->e_shoff);
}

/* The table of the image's functions; NULL if there is none. */
static const Elf64_Shdr *symbol_table(const char *image)
{
	const Elf64_Ehdr *header = (const void *)image;

	for (unsigned int i = 0; image && header->e_shoff && i < header->e_shnum; i++) {
		if (sections_of(image)[i].sh_type == SHT_DYNSYM)
			return &sections_of(image)[i];
	}
	return NULL;
}

void vdso_emit(struct stream *stream)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Shdr *table = symbol_table(image);
	const Elf64_Sym *symbols = table ? (const void *)(image + table->sh_offset) : NULL;
	const char *names = table ? image + sections_of(image)[table->sh_link].sh_offset : NULL;
	size_t used = 0;

	for (size_t i = 0; table && i < table->sh_size / sizeof(*symbols); i++) {
		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && used + LINE_BYTES < stream->scratch_size)
			used += (size_t)snprintf(stream->scratch + used, LINE_BYTES, "%" PRIx64 " %.60s\n",
						 symbols[i].st_value, names + symbols[i].st_name);
	}
	if (used)
		emit(stream, "file", "after:kassay/program/vdso", stream->scratch, used);
}

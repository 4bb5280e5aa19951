// SPDX-License-Identifier: GPL-2.0-only
#include "code.h"

#include <string.h>

static struct arch *arches; /* sorted by name */

void arch_add(struct arch *arch)
{
	struct arch **link = &arches;

	while (*link && strcmp((*link)->target, arch->target) < 0)
		link = &(*link)->next;
	arch->next = *link;
	*link = arch;
}

const struct arch *arch_find(const char *target)
{
	const struct arch *arch = arches;

	while (arch && strcmp(arch->target, target))
		arch = arch->next;
	return arch;
}

void arch_list(FILE *out)
{
	for (const struct arch *arch = arches; arch; arch = arch->next)
		fprintf(out, "%s%s", arch->target, arch->next ? ", " : "");
}

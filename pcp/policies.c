// SPDX-License-Identifier: GPL-2.0-only
/* The policies that this program was built with: -DPOLICIES='ENTRY(fixed) ENTRY(auto)', a file in policies/ each. */
#include <stdio.h>
#include <string.h>

#include "policy.h"

#define ENTRY(name) extern const struct policy policy_##name;
POLICIES
#undef ENTRY

static const struct entry {
	const char *name;
	const struct policy *policy;
} entries[] = {
#define ENTRY(name) { #name, &policy_##name },
POLICIES
#undef ENTRY
};

#define ENTRIES (sizeof(entries) / sizeof(*entries))

const struct policy *policy;

void policy_choose(const char *name)
{
	for (unsigned int i = 0; i < ENTRIES; i++)
		if (!strcmp(entries[i].name, name))
			policy = entries[i].policy;
	if (!policy)
		stop(2, "config: there is no policy %s", name);
}

void policy_list(void)
{
	for (unsigned int i = 0; i < ENTRIES; i++)
		printf("%s\t%s\t%s\n", entries[i].name, entries[i].policy->kernels, entries[i].policy->summary);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a policy for per-CPU page lists makes of page events: pcpsim [EVENTS],
 * with the configuration on stdin; without EVENTS they are generated.
 * pcpsim --policies lists the policies. Model and formats are in
 * docs/explained/pcp-model.md. Only whole numbers enter a result, so that every host
 * prints the same digits.
 */
#include <stdio.h>
#include <string.h>

#include "generate.h"
#include "output.h"
#include "pcp.h"
#include "policy.h"
#include "replay.h"
#include "samples.h"

int main(int count, char **arguments)
{
	if (count > 2) {
		fprintf(stderr, "usage: pcpsim [EVENTS | --policies]\n");
		return 2;
	}
	if (count == 2 && !strcmp(arguments[1], "--policies")) {
		policy_list();
		return fflush(stdout) || ferror(stdout) ? 3 : 0;
	}
	config_read();
	policy_choose(config.policy);
	zones_start();
	cpus_start();
	samples_start();
	if (count == 2)
		replay(arguments[1]);
	else
		generate();
	output();
	return fflush(stdout) || ferror(stdout) ? 3 : 0;
}

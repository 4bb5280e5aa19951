// SPDX-License-Identifier: GPL-2.0-only
#include "script.h"

#include <string.h>

struct step *script_step(struct script *script, struct step step)
{
	if (script->count == MAX_STEPS)
		script->full = true;
	else
		script->count++;
	script->steps[script->count - 1] = step;
	return &script->steps[script->count - 1];
}

void script_repeat(struct script *script, size_t steps, uint64_t times)
{
	script_step(script, (struct step){ .run = step_repeat, .args = { times, steps * STEP_BYTES } });
}

int script_close(struct run *run, struct script *script)
{
	if (script->full)
		return fail(run, "a script of more than %d steps", MAX_STEPS);
	script->steps[script->count] = (struct step){ .run = step_end };
	return 0;
}

int script_failed(struct run *run, const struct script *script, const struct step *step)
{
	if (script->explain && script->explain(run))
		return -1;
	return fail(run, "%s: %s", step->what, strerror((int)step->error));
}

int script_do(struct run *run, struct script *script)
{
	const struct step *failed;

	if (script_close(run, script))
		return -1;
	failed = script_run(script->steps, NULL);
	script->count = 0;
	return failed ? script_failed(run, script, failed) : 0;
}

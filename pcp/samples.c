// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sample k of a CPU is of the time k * interval. Where a CPU has no room for one
 * more, every second sample of all CPUs goes, and the interval doubles.
 */
#include "samples.h"

#include <inttypes.h>
#include <stdio.h>

struct sample {
	int count, high;
	uint64_t refilled, drained; /* pages since the begin of the counters */
};

static struct sample *samples;
static uint64_t interval_ps;

static struct sample *sample_of(const struct cpu *cpu, unsigned int zone, uint64_t index)
{
	return &samples[(cpu->number * config.zone_count + zone) * config.run.samples + index];
}

void samples_start(void)
{
	interval_ps = config.run.sample_ns * 1000;
	if (interval_ps)
		samples = allocate(config.run.cpus * config.zone_count * config.run.samples, sizeof(*samples));
}

static void thin_out(void)
{
	interval_ps *= 2;
	for (unsigned int n = 0; n < config.run.cpus; n++) {
		struct cpu *cpu = &cpus[n];
		uint32_t left = (cpu->sample_index + 1) / 2;

		for (unsigned int zone = 0; zone < config.zone_count; zone++)
			for (uint32_t i = 0; i < left; i++)
				*sample_of(cpu, zone, i) = *sample_of(cpu, zone, 2 * (uint64_t)i);
		cpu->sample_index = left;
		cpu->next_sample = left * interval_ps;
	}
}

void sample_take(struct cpu *cpu)
{
	if (cpu->sample_index == config.run.samples) {
		thin_out();
		if (cpu->next_sample > cpu->clock)
			return;
	}
	for (unsigned int zone = 0; zone < config.zone_count; zone++) {
		const struct pcp *pcp = &cpu->pcps[zone];

		*sample_of(cpu, zone, cpu->sample_index) =
			(struct sample){ pcp->count, pcp->high, pcp->refilled_pages, pcp->drained_pages };
	}
	cpu->sample_index++;
	cpu->next_sample += interval_ps;
}

void samples_print(void)
{
	if (!interval_ps)
		return;
	for (unsigned int n = 0; n < config.run.cpus; n++) {
		uint64_t first = (cpus[n].counted_from + interval_ps - 1) / interval_ps; /* behind the warm-up */

		for (unsigned int zone = 0; zone < config.zone_count; zone++) {
			for (uint64_t i = first; i < cpus[n].sample_index; i++) {
				const struct sample *s = sample_of(&cpus[n], zone, i);

				printf("sample %" PRIu64 " %u %u %d %d %" PRIu64 " %" PRIu64 "\n", i * interval_ps / 1000, n,
				       zone, s->count, s->high, s->refilled, s->drained);
			}
		}
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/* Five bodies attract each other: square roots and divisions of doubles. */
#include <math.h>
#include <stdio.h>

#define BODIES 5

static double place[BODIES][3], speed[BODIES][3], mass[BODIES];

static void step(double dt)
{
	for (int i = 0; i < BODIES; i++)
		for (int j = i + 1; j < BODIES; j++) {
			double d[3], square = 0.01, pull;

			for (int k = 0; k < 3; k++) {
				d[k] = place[i][k] - place[j][k];
				square += d[k] * d[k];
			}
			pull = dt / (square * sqrt(square));
			for (int k = 0; k < 3; k++) {
				speed[i][k] -= d[k] * mass[j] * pull;
				speed[j][k] += d[k] * mass[i] * pull;
			}
		}
	for (int i = 0; i < BODIES; i++)
		for (int k = 0; k < 3; k++)
			place[i][k] += dt * speed[i][k];
}

int main(void)
{
	for (int i = 0; i < BODIES; i++) {
		mass[i] = 1.0 / (i + 1);
		for (int k = 0; k < 3; k++) {
			place[i][k] = (i * 7 + k * 3) % 5 - 2.0;
			speed[i][k] = (i + k) % 3 * 0.1;
		}
	}
	for (int i = 0; i < 20000; i++)
		step(0.001);
	printf("x=%.6f\n", place[0][0]);
	return 0;
}

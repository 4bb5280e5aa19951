// SPDX-License-Identifier: GPL-2.0-only
/* A product of two matrices of doubles. */
#include <stdio.h>

#define N 160

static double a[N][N], b[N][N], c[N][N];

int main(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i + 1.0 / (j + 1);
			b[i][j] = j - 0.5 * i;
		}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++)
				c[i][j] += a[i][k] * b[k][j];
	printf("corner=%g\n", c[N - 1][N - 1]);
	return 0;
}

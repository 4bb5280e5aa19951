// SPDX-License-Identifier: GPL-2.0-only
/* same: returns at once. */
int main(void)
{
	return 0;
}

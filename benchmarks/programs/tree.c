// SPDX-License-Identifier: GPL-2.0-only
/* A binary search tree of malloc()ed nodes: random keys are put in, looked up and freed. */
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *side[2];
	unsigned int key;
};

static struct node *root;

static void put(unsigned int key)
{
	struct node **at = &root;

	while (*at && (*at)->key != key)
		at = &(*at)->side[(*at)->key < key];
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		(*at)->key = key;
	}
}

static unsigned long take_down(struct node *node)
{
	unsigned long sum;

	if (!node)
		return 0;
	sum = node->key % 10 + take_down(node->side[0]) + take_down(node->side[1]);
	free(node);
	return sum;
}

int main(void)
{
	unsigned int state = 1;

	for (int i = 0; i < 40000; i++) {
		state = state * 1103515245 + 12345;
		put(state >> 8);
	}
	printf("sum=%lu\n", take_down(root));
	return 0;
}

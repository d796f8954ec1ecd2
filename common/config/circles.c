/* SPDX-License-Identifier: ISC */
#include "common/config/circles.h"

#include "common/util/sort.h"

/* A node's place in a circle. */
struct seat {
	uint64_t place;
	node_id id;
};

struct config_link
config_link_of(node_id a, node_id b)
{
	return a < b ? (struct config_link){ a, b }
		     : (struct config_link){ b, a };
}

int
config_link_compare(const void *a, const void *b)
{
	const struct config_link *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

static int
seat_compare(const void *a, const void *b)
{
	const struct seat *x = a;
	const struct seat *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* The output function of splitmix64 (Steele, Lea and Flood 2014). It maps no
 * two inputs to one output, so no two nodes have one place. */
static uint64_t
place_of(uint64_t circle, node_id id)
{
	uint64_t z = (circle << 32 | id) + UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Sorts the links, and drops copies. Returns how many are left. */
static size_t
links_unite(struct config_link *links, size_t count)
{
	size_t kept = 0;

	sort(links, count, sizeof(links[0]), config_link_compare);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 ||
		    config_link_compare(&links[kept - 1], &links[i]) != 0)
			links[kept++] = links[i];
	}
	return kept;
}

size_t
circles(const node_id *ids, size_t count, unsigned degree,
    struct config_link *links)
{
	struct seat seats[NODES_MAX];
	size_t made = 0;

	assert(count <= NODES_MAX);
	assert(degree >= 2);
	assert(degree % 2 == 0);
	if (count <= degree + 1)
		return 0;
	for (unsigned circle = 0; circle < degree / 2; circle++) {
		for (size_t i = 0; i < count; i++)
			seats[i] = (struct seat){
				.place = place_of(circle, ids[i]),
				.id = ids[i],
			};
		sort(seats, count, sizeof(seats[0]), seat_compare);
		for (size_t i = 0; i < count; i++)
			links[made++] = config_link_of(
			    seats[i].id, seats[(i + 1) % count].id);
	}
	return links_unite(links, made);
}

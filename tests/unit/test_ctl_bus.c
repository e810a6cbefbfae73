/*
 * test_ctl_bus.c - how atriumctl finds a service's instances.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl/ctl_bus.h"
#include "tests/support/unit.h"

enum { INSTANCES = 12 };

/* Directories list files in any order, and differently on a tmpfs. */
static void instances_are_in_the_order_of_their_numbers(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(loop_destroy) struct loop *loop = NULL;
    CLEANUP(ctl_bus_destroy) struct ctl_bus *bus = NULL;
    struct error err;
    const char **names;
    char name[64];

    error_init(&err, arena);
    CU_ASSERT_EQUAL(mkdir(arena_printf(arena, "%s/bus", dir.path), 0700), 0);
    CU_ASSERT_EQUAL(mkdir(arena_printf(arena, "%s/bus/authd", dir.path), 0700), 0);
    loop = loop_new();
    CU_ASSERT_PTR_NOT_NULL_FATAL(loop);
    bus = ctl_bus_new(loop, dir.path, NULL, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bus);
    for (int i = 0; i < INSTANCES; i++) {
        snprintf(name, sizeof(name), "bus/authd/ctl.%d", i * 5 % INSTANCES + 1);
        unit_dir_write(&dir, name, "");
    }
    names = ctl_bus_instances(bus, "authd", arena);
    for (int i = 0; i < INSTANCES; i++) {
        snprintf(name, sizeof(name), "%d", i + 1);
        UNIT_CHECK(names[i] && strcmp(names[i], name) == 0, "%s is %d", names[i], i + 1);
    }
    CU_ASSERT_PTR_NULL(names[INSTANCES]);
}

static const struct unit_case cases[] = {
    CASE(instances_are_in_the_order_of_their_numbers),
};

int main(void)
{
    return unit_run("ctl bus", cases, ARRAY_SIZE(cases));
}

/*
 * prepared.h - directories made once per run of tests/run.sh (a PostgreSQL cluster, a suite with
 * migrations and demo) and copied by each program, in a tenth of the time. They are in the
 * directory ATRIUM_PREPARED, which the run removes. Programs started by hand make their own.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PREPARED_H
#define ATRIUM_TESTS_SUPPORT_PREPARED_H

#include "common/base/base.h"
#include "tests/support/unit.h"

/* Returns the directory for copies, in memory if it has space; NULL outside a run. */
const char *prepared_parent(void);

/* Copies the directory `name` into `dir`, which exists and is empty. The run's first caller makes
 * it with make() in an empty directory, which root may have given to another user, and the others
 * wait. Returns false outside a run, and ends the program if the copy fails. */
bool prepared_copy(const char *name, const char *dir, void (*make)(const char *dir, void *arg),
                   void *arg);

/* unit_dir_make() beside the prepared directories, possibly in memory, where a copy takes a tenth
 * of the time. */
struct unit_dir prepared_unit_dir(void);

#endif

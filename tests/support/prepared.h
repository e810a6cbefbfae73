/*
 * prepared.h - directories that one program makes for all of a run of tests/run.sh: a cluster of
 * PostgreSQL, a suite with migrations and demo. Each program gets a copy, in a tenth of the time.
 *
 * They lie in the directory that ATRIUM_PREPARED names, which the run removes. A program that is
 * started by hand has none, and makes its own.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PREPARED_H
#define ATRIUM_TESTS_SUPPORT_PREPARED_H

#include "common/base/base.h"
#include "tests/support/unit.h"

/* Where the copies are to be made: in memory where that has room. NULL: not in a run. */
const char *prepared_parent(void);

/* Copies the directory `name` into `dir`, which exists and is empty. The first caller of the run
 * has it made by make(), in an empty directory that root may have given to another user; the others
 * wait for it. False in no run; ends the program when the copy fails. */
bool prepared_copy(const char *name, const char *dir, void (*make)(const char *dir, void *arg),
                   void *arg);

/* unit_dir_make() beside the prepared directories: a copy of one in memory takes a tenth of the
 * time of one on disk. */
struct unit_dir prepared_unit_dir(void);

#endif

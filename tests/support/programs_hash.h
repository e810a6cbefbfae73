/*
 * programs_hash.h - distinguishes builds of the suite's programs.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PROGRAMS_HASH_H
#define ATRIUM_TESTS_SUPPORT_PROGRAMS_HASH_H

/* Returns a hexadecimal hash of atriumctl and its daemons (caller frees). */
char *programs_hash(void);

#endif

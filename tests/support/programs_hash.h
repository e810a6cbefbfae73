/*
 * programs_hash.h - tells one build of the suite's programs from another.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PROGRAMS_HASH_H
#define ATRIUM_TESTS_SUPPORT_PROGRAMS_HASH_H

/* A hash of atriumctl and of the daemons beside it, as hexadecimal digits (caller frees). */
char *programs_hash(void);

#endif

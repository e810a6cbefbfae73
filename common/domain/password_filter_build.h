/*
 * password_filter_build.h - writes a filter's file (password_filter.h) in bounded memory: collects
 * keys up to 64 MiB, sorts them into an unnamed file, and builds shards of about a million
 * passwords one by one. Equal lists give equal files.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_FILTER_BUILD_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_FILTER_BUILD_H

#include "common/base/base.h"
#include "common/base/error.h"

struct password_filter_builder;

struct password_filter_options {
    const char *folder;      /* for spilled keys, 8 bytes each; NULL: no spilling. Borrowed */
    size_t keys, shard_keys; /* in memory, and per shard on average; 0: 8 million, one million */
};
struct password_filter_builder *password_filter_builder_new(
    const struct password_filter_options *options);
void password_filter_builder_destroy(struct password_filter_builder **self_p);

int password_filter_builder_add(struct password_filter_builder *self, uint64_t key,
                                struct error *err) MUST_USE;

struct password_filter_progress {
    void (*fn)(void *arg, size_t done, size_t total);
    void *arg;
};

/* Writes the filter to an empty file without fsync, and ends the builder. Fails with
 * ERR_BAD_REQUEST: no keys. */
int password_filter_builder_write(struct password_filter_builder *self, int fd,
                                  const struct password_filter_progress *progress,
                                  struct error *err) MUST_USE;

#endif

/*
 * name_server.h - BIND on a port of 127.0.0.1, whose zones a test changes.
 *
 * It answers for clinic.example and other.example, and fails for broken.example.
 */
#ifndef ATRIUM_TESTS_SUPPORT_NAME_SERVER_H
#define ATRIUM_TESTS_SUPPORT_NAME_SERVER_H

#include "tests/support/unit.h"

struct name_server {
    struct unit_dir dir;
    int port;
    pid_t pid;
};

/* Starts with empty zones, or ends the program. */
struct name_server name_server_start(void);
void name_server_stop(struct name_server *self);

/* Gives a zone these records, lines of a zone file, and starts the server again. */
void name_server_set(struct name_server *self, const char *zone, const char *records);

/* Makes the server silent, or lets it continue. */
void name_server_hush(const struct name_server *self, bool silent);

#endif

/*
 * file_pass.h - open files that one process hands to another on the same host, each with a number.
 *
 * They go over a connected SOCK_SEQPACKET socket of AF_UNIX as SCM_RIGHTS (unix(7)): a message is
 * the number in the host's byte order and one descriptor. Neither function waits.
 */
#ifndef ATRIUM_COMMON_BASE_FILE_PASS_H
#define ATRIUM_COMMON_BASE_FILE_PASS_H

#include "common/base/base.h"

/* Sends a file, which stays the caller's. False: the socket is full, its other end is gone, or too
 * many files are on their way. */
bool file_pass_send(int socket, int64_t number, int file);

enum file_pass {
    FILE_PASS_NONE, /* no message is there */
    FILE_PASS_ONE,
    FILE_PASS_END, /* the other end is gone, or sends something else */
};

/* Receives a file, which is the caller's to close; *ret_file is -1 when this process has no
 * descriptor left for it. */
enum file_pass file_pass_receive(int socket, int64_t *ret_number, int *ret_file);

#endif

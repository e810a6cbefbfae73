/*
 * file_pass.h - passes open files, each with a number, to another process on the same host.
 *
 * Over a connected SOCK_SEQPACKET socket as SCM_RIGHTS (unix(7)): the number in the host's byte
 * order and one descriptor. Neither function waits.
 */
#ifndef ATRIUM_COMMON_BASE_FILE_PASS_H
#define ATRIUM_COMMON_BASE_FILE_PASS_H

#include "common/base/base.h"

/* The file stays the caller's. False: the socket is full, its other end gone, or too many sent. */
bool file_pass_send(int socket, int64_t number, int file);

enum file_pass {
    FILE_PASS_NONE, /* no message is there */
    FILE_PASS_ONE,
    FILE_PASS_END, /* the other end is gone, or sends something else */
};

/* The file is the caller's to close; *ret_file is -1 when this process has no descriptor left. */
enum file_pass file_pass_receive(int socket, int64_t *ret_number, int *ret_file);

#endif

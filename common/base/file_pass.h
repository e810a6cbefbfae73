/*
 * file_pass.h - passes open files to another process on the host.
 *
 * A message on a connected SOCK_SEQPACKET socket is a number in host byte order and one descriptor
 * (SCM_RIGHTS, unix(7)). Nothing waits.
 */
#ifndef ATRIUM_COMMON_BASE_FILE_PASS_H
#define ATRIUM_COMMON_BASE_FILE_PASS_H

#include "common/base/base.h"

/* Leaves the file open. Returns false when the socket is full or closed, or too many files are in
 * flight. */
bool file_pass_send(int socket, int64_t number, int file);

enum file_pass {
    FILE_PASS_NONE,
    FILE_PASS_ONE,
    FILE_PASS_END, /* the peer closed, or sent an invalid message */
};

/* Receives a file, which the caller closes; *ret_file is -1 if no descriptor is free. */
enum file_pass file_pass_receive(int socket, int64_t *ret_number, int *ret_file);

#endif

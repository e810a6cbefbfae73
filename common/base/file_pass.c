/* file_pass.c - see file_pass.h. */
#include "common/base/file_pass.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
};

bool file_pass_send(int socket, int64_t number, int file)
{
    union control control = {.room = {0}};
    struct iovec place = {&number, sizeof(number)};
    struct msghdr message = {.msg_iov = &place,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(file));
    memcpy(CMSG_DATA(header), &file, sizeof(file));
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof(number);
}

static int file_of(struct msghdr *message)
{
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    int file;

    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(sizeof(file)))
        return -1;
    memcpy(&file, CMSG_DATA(header), sizeof(file));
    return file;
}

enum file_pass file_pass_receive(int socket, int64_t *ret_number, int *ret_file)
{
    union control control;
    struct iovec place = {ret_number, sizeof(*ret_number)};
    struct msghdr message = {.msg_iov = &place,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    ssize_t size = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

    if (size < 0)
        return errno == EAGAIN || errno == EINTR ? FILE_PASS_NONE : FILE_PASS_END;
    *ret_file = file_of(&message);
    if (size == (ssize_t)sizeof(*ret_number))
        return FILE_PASS_ONE;
    if (*ret_file >= 0)
        close(*ret_file);
    return FILE_PASS_END;
}

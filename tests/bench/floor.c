/*
 * floor.c - the baseline of `make bench`: a plain libmicrohttpd server with one epoll thread that
 * answers everything with 64 bytes. Prints its port; ends on SIGTERM.
 */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/base.h"

static enum MHD_Result answer(void *response, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    (void)url, (void)method, (void)version, (void)upload, (void)upload_size;
    if (!*state) {
        *state = response; /* the first call has only the headers */
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

int main(void)
{
    static const char body[] =
        "{\"sixtyfour\":\"bytes of an answer that costs nothing at all....\"}\n";
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Response *response =
        MHD_create_response_from_buffer(64, (void *)(uintptr_t)body, MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, 0,
                                                 NULL, NULL, answer, response, MHD_OPTION_SOCK_ADDR,
                                                 (struct sockaddr *)&address, MHD_OPTION_END);
    sigset_t stop;
    int signo;

    if (!daemon)
        return 1;
    printf("%d\n", (int)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    sigwait(&stop, &signo);
    MHD_stop_daemon(daemon);
    MHD_destroy_response(response);
    return 0;
}

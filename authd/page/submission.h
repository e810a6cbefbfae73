/*
 * submission.h - a form that is sent twice is done once.
 *
 * People click twice, and reload the page that a form has led to. Within a minute the second call
 * is answered as the first, its cookie included: while that is still under way it waits for it,
 * whichever authd does it. What is the same form says the gateway (page_visit.submission): the same
 * fields from the same browser, with the token of the page that had it.
 *
 * A row of PostgreSQL decides who does it, and keeps the answer sealed for the browser's cookie.
 * A failure, or a refusal for having tried too often, is not kept: the next call does the form. So
 * does one whose row another form has taken, which is as before: what a handler spends it spends
 * once by itself.
 */
#ifndef ATRIUM_AUTHD_PAGE_SUBMISSION_H
#define ATRIUM_AUTHD_PAGE_SUBMISSION_H

#include "authd/authd.h"

struct page_answer;

/* A handler of a page, untyped. */
typedef int page_handler(struct authd *d, const struct request *req, const void *in, void *out,
                         struct error *err);

/* Answers by the handler, or as it has answered the same form before. table: of `in`. Fails as the
 * handler; UNAVAILABLE: another call has not done the form in time. Parks. */
int submission_run(struct authd *d, const struct request *req, const struct field_table *table,
                   const void *in, page_handler *handler, struct page_answer *out,
                   struct error *err) MUST_USE;

/* call_<handler>() of a page, see common/bus/operations.def. */
#define SUBMISSION_CALL(daemon_type, handler, input)                                              \
    static int run_##handler(daemon_type *daemon, const struct request *req, const void *in,      \
                             void *out, struct error *err)                                        \
    {                                                                                             \
        return handler(daemon, req, in, out, err);                                                \
    }                                                                                             \
    static int call_##handler(void *daemon, const struct request *req, const void *in, void *out, \
                              struct error *err)                                                  \
    {                                                                                             \
        return submission_run(daemon, req, &input##_table, in, run_##handler, out, err);          \
    }

#endif

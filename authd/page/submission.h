/*
 * submission.h - handles a form only once, even if people click twice or reload.
 *
 * Within a minute, a second call on any instance waits for the first one's answer, including its
 * cookie. A row, named by page_visit.submission, decides which call handles the form, and keeps the
 * sealed answer. Failures and throttled attempts aren't kept. If another form takes the row, the
 * handler runs again, which is safe.
 */
#ifndef ATRIUM_AUTHD_PAGE_SUBMISSION_H
#define ATRIUM_AUTHD_PAGE_SUBMISSION_H

#include "authd/authd.h"

struct page_answer;

/* An untyped page handler. */
typedef int page_handler(struct authd *d, const struct request *req, const void *in, void *out,
                         struct error *err);

/* Calls the handler, or returns its earlier answer. `table` describes `in`. UNAVAILABLE: another
 * call didn't finish in time. Parks. */
int submission_run(struct authd *d, const struct request *req, const struct field_table *table,
                   const void *in, page_handler *handler, struct page_answer *out,
                   struct error *err) MUST_USE;

/* Defines call_<handler>() of a page; see common/bus/operations.def. */
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

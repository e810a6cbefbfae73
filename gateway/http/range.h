/* range.h - bytes to send for a conditional request (RFC 9110, sections 13 and 14). */
#ifndef ATRIUM_GATEWAY_HTTP_RANGE_H
#define ATRIUM_GATEWAY_HTTP_RANGE_H

#include "common/base/base.h"

enum { HTTP_DATE_SIZE = 32 };

struct range_request {
    const char *range, *if_range, *if_none_match, *if_modified_since;
    const char *etag; /* request header, used like If-None-Match */
};

struct range_file {
    const char *etag;
    int64_t modified_ms;
    int64_t size;
};

struct range_answer {
    unsigned status;
    int64_t first, size; /* for 200 and 206 */
};

/* Decides which bytes to send. Multiple or malformed ranges get the whole file, which is
 * allowed. */
struct range_answer range_decide(const struct range_request *request,
                                 const struct range_file *file);

void http_date_format(int64_t ms, char text[static HTTP_DATE_SIZE]);

#endif

/* range.c - see range.h. */
#include "gateway/http/range.h"

#include <strings.h>
#include <time.h>

#include "common/domain/etag.h"

enum { DIGITS_MAX = 18 };

static const char date_format[] = "%a, %d %b %Y %H:%M:%S GMT";

void http_date_format(int64_t ms, char text[static HTTP_DATE_SIZE])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;

    gmtime_r(&seconds, &parts);
    /* In the C locale the names are English. */
    if (strftime(text, HTTP_DATE_SIZE, date_format, &parts) == 0)
        text[0] = '\0';
}

/* Accepts only the date format that clients should send today. */
static bool http_date_read(const char *text, int64_t *ret_s)
{
    struct tm parts = {0};
    const char *end = strptime(text, date_format, &parts);

    if (!end || *end)
        return false;
    *ret_s = (int64_t)timegm(&parts);
    return true;
}

static bool is_unchanged(const struct range_request *request, const struct range_file *file)
{
    int64_t since_s;

    if (request->if_none_match || request->etag)
        return etag_is_named(request->if_none_match, file->etag) ||
               etag_is_sent(request->etag, file->etag);
    return request->if_modified_since && file->modified_ms > 0 &&
           http_date_read(request->if_modified_since, &since_s) &&
           file->modified_ms / 1000 <= since_s;
}

/* If-Range: the client wants a range only of the file that it already has a part of. */
static bool range_applies(const struct range_request *request, const struct range_file *file)
{
    int64_t since_s;

    if (!request->range)
        return false;
    if (!request->if_range || strcmp(request->if_range, file->etag) == 0)
        return true;
    return file->modified_ms > 0 && http_date_read(request->if_range, &since_s) &&
           file->modified_ms / 1000 == since_s;
}

/* Returns -1 if there is no digit. More than DIGITS_MAX digits mean the maximum. */
static int64_t read_number(const char **text)
{
    size_t digits = strspn(*text, "0123456789");
    int64_t number;

    if (digits == 0)
        return -1;
    number = digits > DIGITS_MAX ? INT64_MAX : strtoll(*text, NULL, 10);
    *text += digits;
    return number;
}

static bool read_range(const char *text, int64_t *ret_first, int64_t *ret_last)
{
    if (strncasecmp(text, "bytes=", 6) != 0)
        return false;
    text += 6;
    text += strspn(text, " \t");
    *ret_first = read_number(&text);
    if (*text++ != '-')
        return false;
    *ret_last = read_number(&text);
    text += strspn(text, " \t");
    return *text == '\0' && (*ret_first >= 0 || *ret_last >= 0) &&
           (*ret_first < 0 || *ret_last < 0 || *ret_first <= *ret_last);
}

struct range_answer range_decide(const struct range_request *request, const struct range_file *file)
{
    struct range_answer all = {200, 0, file->size};
    int64_t first, last;

    if (is_unchanged(request, file))
        return (struct range_answer){304, 0, 0};
    if (!range_applies(request, file) || !read_range(request->range, &first, &last))
        return all;
    if (first < 0) { /* the last `last` bytes */
        if (last == 0 || file->size == 0)
            return (struct range_answer){416, 0, 0};
        first = file->size - MIN(last, file->size);
        last = file->size - 1;
    }
    if (first >= file->size)
        return (struct range_answer){416, 0, 0};
    if (last < 0 || last >= file->size)
        last = file->size - 1;
    return (struct range_answer){206, first, last - first + 1};
}

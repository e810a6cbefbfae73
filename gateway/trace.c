/*
 * trace.c - request ids.  Called by exchange.c for each request, hence no system call and no allocation.
 */
#include <ctype.h>
#include <string.h>

#include <sodium.h>

#include "gateway/trace.h"

void trace_source_init(struct trace_source *self)
{
    randombytes_buf(self, sizeof(*self));
}

static bool is_sane(const char *id)
{
    size_t length = 0;

    for (; id[length]; length++)
        if (length == TRACE_SIZE - 1 ||
            !(isalnum((unsigned char)id[length]) || strchr("._-", id[length])))
            return false;
    return length > 0;
}

/* "00-<32 hex digits>-<16 hex digits>-<2 hex digits>", not all zero. */
static bool parent_id(const char *text, char ret[static TRACE_SIZE])
{
    if (strlen(text) < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-' ||
        strncmp(text, "ff", 2) == 0)
        return false;
    memcpy(ret, text + 3, 32);
    ret[32] = '\0';
    return strspn(ret, "0123456789abcdef") == 32 && strspn(ret, "0") != 32;
}

static void put_hex(char *out, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";

    for (int i = 15; i >= 0; i--, value >>= 4)
        out[i] = digits[value & 15];
}

void trace_choose(struct trace_source *self, const char *request_id, const char *traceparent,
                  char ret[static TRACE_SIZE])
{
    uint64_t mixed;

    if (request_id && is_sane(request_id)) {
        strcpy(ret, request_id);
        return;
    }
    if (traceparent && parent_id(traceparent, ret))
        return;
    /* A counter, mixed by a bijection (splitmix64): never twice in a process, and it shows no count. */
    mixed = self->next += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    put_hex(ret, self->prefix);
    put_hex(ret + 16, mixed ^ (mixed >> 31));
    ret[32] = '\0';
}

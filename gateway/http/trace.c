/* trace.c - see trace.h. */
#include "gateway/http/trace.h"

#include <ctype.h>
#include <stdio.h>

#include <sodium.h>

#include "common/service/config.h"

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

static void put_hex(char *out, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";

    for (int i = 15; i >= 0; i--, value >>= 4)
        out[i] = digits[value & 15];
}

/* splitmix64 is a bijection: numbers are unique in a process, but don't reveal the count. */
static uint64_t next_number(struct trace_source *self)
{
    uint64_t mixed = self->next += 0x9e3779b97f4a7c15;

    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

void trace_choose(struct trace_source *self, const char *request_id,
                  const struct trace_context *parent, char ret[static TRACE_SIZE])
{
    if (request_id && is_sane(request_id)) {
        strcpy(ret, request_id);
        return;
    }
    if (parent) {
        trace_hex(parent->trace_id, TRACE_ID_BYTES, ret);
        return;
    }
    put_hex(ret, self->prefix);
    put_hex(ret + 16, next_number(self));
    ret[32] = '\0';
}

static bool is_trace_id(const char *id, struct trace_context *ret)
{
    char parent[TRACEPARENT_SIZE];

    return strlen(id) == 2 * TRACE_ID_BYTES &&
           snprintf(parent, sizeof(parent), "00-%s-0000000000000001-00", id) > 0 &&
           traceparent_read(parent, ret) == 0;
}

struct trace_context trace_sample(struct trace_source *self, const struct trace_wish *wish)
{
    struct trace_context context = {.sampled = false};
    bool sampled = wish->trusted && wish->parent
                       ? wish->parent->sampled
                       : (int64_t)(next_number(self) % CONFIG_RATIO_ONE) < wish->sample;

    if (!sampled)
        return context;
    if (wish->parent) {
        context = *wish->parent;
    } else {
        if (!is_trace_id(wish->request_id, &context))
            randombytes_buf(context.trace_id, TRACE_ID_BYTES);
        memset(context.span_id, 0, SPAN_ID_BYTES);
    }
    context.sampled = true;
    return context;
}

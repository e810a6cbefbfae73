/* fetch.c - see fetch.h. */
#include "common/service/fetch.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#include "common/base/memory.h"
#include "common/wire/codec.h"

enum { CONNECT_MS = 5000 };

struct transfer_state {
    const struct fetch *what;
    struct codec_buffer answer;
    bool closed, too_large;
};

/* Checks the resolved address right before connect(). */
static curl_socket_t open_socket(void *arg, curlsocktype purpose UNUSED, struct curl_sockaddr *peer)
{
    struct transfer_state *state = arg;
    struct address address;

    address_from_socket(&peer->addr, &address);
    if (state->what->networks && !network_is_open(state->what->networks, &address)) {
        state->closed = true;
        return CURL_SOCKET_BAD;
    }
    return socket(peer->family, peer->socktype | SOCK_CLOEXEC, peer->protocol);
}

static size_t take(char *bytes, size_t one, size_t size, void *arg)
{
    struct transfer_state *state = arg;

    if (state->answer.size + one * size > state->what->answer_max) {
        state->too_large = true;
        return 0;
    }
    codec_write(&state->answer, bytes, one * size);
    return one * size;
}

static struct curl_slist *add_trace(struct curl_slist *list, const struct span *span)
{
    char line[sizeof("tracestate: ") + TRACESTATE_MAX + TRACEPARENT_SIZE], text[TRACEPARENT_SIZE];

    traceparent_write(&span->context, text);
    snprintf(line, sizeof(line), "traceparent: %s", text);
    list = curl_slist_append(list, line);
    if (span->state[0] == '\0')
        return list;
    snprintf(line, sizeof(line), "tracestate: %s", span->state);
    return curl_slist_append(list, line);
}

static struct curl_slist *header_list(const struct fetch *what, const struct span *span)
{
    struct curl_slist *list = curl_slist_append(NULL, "Accept: application/json");
    char line[128];

    if (what->body) {
        snprintf(line, sizeof(line), "Content-Type: %s",
                 what->content_type ? what->content_type : "application/json");
        list = curl_slist_append(list, line);
        list = curl_slist_append(list, "Expect:"); /* do not wait for 100 Continue */
    }
    for (const char *const *more = what->headers; more && *more; more++)
        list = curl_slist_append(list, *more);
    if (what->traced && span->activity)
        list = add_trace(list, span);
    return list;
}

static CURLcode set_options(CURL *easy, struct transfer_state *state, struct curl_slist *headers)
{
    const struct fetch *what = state->what;
    CURLcode code = CURLE_OK;

#define SET(option, value) code = code == CURLE_OK ? curl_easy_setopt(easy, option, value) : code
    SET(CURLOPT_URL, what->url);
    SET(CURLOPT_PROTOCOLS_STR, what->plain ? "https,http" : "https");
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_HTTPHEADER, headers);
    if (what->body) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDS, what->body);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(what->body));
    }
    if (what->ca_file)
        SET(CURLOPT_CAINFO, what->ca_file);
    SET(CURLOPT_USERAGENT, "Atrium/" ATRIUM_VERSION);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, state);
    SET(CURLOPT_WRITEFUNCTION, take);
    SET(CURLOPT_WRITEDATA, state);
#undef SET
    return code;
}

static int too_late(struct error *err)
{
    return error_set(err, ERR_DEADLINE, "There was no answer in time.");
}

/* Explains a failure without details of the installation's network, for a project's members. */
static int failed(const struct transfer_state *state, CURLcode code, struct error *err)
{
    if (state->too_large)
        return error_set(err, ERR_TOO_LARGE, "The answer is too large.");
    if (state->closed)
        return error_set(err, ERR_FORBIDDEN, "The address is not allowed.");
    if (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT)
        return error_set(err, ERR_FORBIDDEN, "The URL must be https.");
    if (code == CURLE_OPERATION_TIMEDOUT)
        return too_late(err);
    error_set(err, ERR_UNAVAILABLE, "There was no answer.");
    return error_detail(err, "%s", curl_easy_strerror(code));
}

/* ---- Cache-Control (RFC 9111, section 5.2.2) ---- */

enum { AGE_MAX_S = 1 << 30 }; /* limit of larger values (RFC 9111, section 1.2.2) */

/* Returns true for a directive of this name; *ret: its value or "". */
static bool is_directive(const char *at, size_t size, const char *name, const char **ret)
{
    size_t length = strlen(name);

    if (size < length || strncasecmp(at, name, length) != 0 ||
        (size > length && !strchr("= \t", at[length])))
        return false;
    *ret = size > length && at[length] == '=' ? at + length + 1 : "";
    return true;
}

/* Reads seconds, bare or quoted; other text is 0, stale. */
static int64_t read_seconds(const char *at)
{
    int64_t seconds = 0;

    at += *at == '"';
    for (; isdigit((unsigned char)*at); at++)
        seconds = MIN(seconds * 10 + (*at - '0'), AGE_MAX_S);
    return seconds;
}

/* Adds a header; the shortest age counts. */
static int64_t add_cache_control(int64_t max_age_s, const char *at)
{
    while (*at) {
        size_t size;
        const char *value;
        int64_t age_s = -1;

        at += strspn(at, " \t,");
        size = strcspn(at, ",");
        if (is_directive(at, size, "no-store", &value) ||
            is_directive(at, size, "no-cache", &value))
            age_s = 0;
        else if (is_directive(at, size, "max-age", &value))
            age_s = read_seconds(value);
        if (age_s >= 0 && (max_age_s < 0 || age_s < max_age_s))
            max_age_s = age_s;
        at += size;
    }
    return max_age_s;
}

static int64_t read_max_age(CURL *easy)
{
    struct curl_header *header;
    int64_t max_age_s = -1;
    size_t most = 1;

    for (size_t i = 0; i < most; i++) {
        if (curl_easy_header(easy, "Cache-Control", i, CURLH_HEADER, -1, &header) != CURLHE_OK)
            break;
        most = header->amount;
        max_age_s = add_cache_control(max_age_s, header->value);
    }
    return max_age_s;
}

int fetch_perform(struct curl_loop *curl, struct arena *arena, const struct fetch *what,
                  struct fetch_answer *ret, struct error *err)
{
    CLEANUP(curl_loop_free_list) struct curl_slist *headers = NULL;
    CLEANUP(curl_loop_free_easy) CURL *easy = curl_loop_easy(curl);
    struct transfer_state state = {.what = what};
    curl_off_t retry_after = 0;
    struct span span;
    CURLcode code;
    int rc = 0;

    curl_loop_span_begin(curl, &span);
    headers = memory_ensure(header_list(what, &span));
    codec_buffer_init(&state.answer, arena);
    code = set_options(easy, &state, headers);
    if (code == CURLE_OK)
        rc = curl_loop_perform(curl, easy, what->deadline_mono_ms, &code, err);
    curl_loop_span_end(&span, easy, rc < 0 ? CURLE_OPERATION_TIMEDOUT : code);
    if (rc < 0)
        return err->code == ERR_DEADLINE ? too_late(err) : -1;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &ret->status);
    if (code != CURLE_OK)
        return failed(&state, code, err);
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after);
    ret->retry_after_s = retry_after;
    ret->max_age_s = read_max_age(easy);
    ret->size = state.answer.size;
    codec_write(&state.answer, "", 1);
    ret->body = (const char *)state.answer.bytes;
    return 0;
}

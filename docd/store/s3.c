/* s3.c - see s3.h. */
#include "docd/store/s3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/domain/uri.h"
#include "common/runtime/curl_loop.h"
#include "common/runtime/fiber_sem.h"
#include "common/wire/codec.h"
#include "docd/store/s3_xml.h"

enum {
    CONNECT_MS = 2000,
    PAUSE_MS = 100,
    RESERVE_MS = 300, /* part of the deadline that is kept for the response */
    IN_FLIGHT_MAX = 64,
    TEXT_MAX = 2 << 20, /* bytes of a response; a list of 1,000 keys has a fifth of that */
    ALL_HEADERS = S3_HEADERS_MAX + 3,
};

struct s3 {
    struct loop *loop;
    struct curl_loop *curl;
    struct s3_options options;
    char *base, *host, *bucket_url;
    struct fiber_sem in_flight;
};

struct
try {
    const struct s3_call *call;
    CURL *easy;
    struct codec_buffer text;
    size_t taken;
    bool enough, too_large;
};

int s3_unavailable(struct error *err, const char *method, const char *what)
{
    (void)error_retry(err, ERR_UNAVAILABLE, 2,
                      "The document store is not available. Please try again later.");
    return error_detail(err, "%s: %s", method, what);
}

const char *s3_encode(struct arena *arena, const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    char *encoded = arena_alloc(arena, 3 * strlen(text) + 1), *at = encoded;

    for (; *text; text++) {
        if (strchr(plain, *text))
            *at++ = *text;
        else
            at += sprintf(at, "%%%02X", (unsigned)(uint8_t)*text);
    }
    *at = '\0';
    return encoded;
}

/* ---- the address ---- */

/* Accepts only https://host[:port]; otherwise NULL. */
static CURLU *parse_url(const char *text)
{
    static const CURLUPart none[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY,
                                     CURLUPART_FRAGMENT};
    CURLU *url = curl_url();
    char *part = NULL;
    struct uri uri;
    bool good = url && text && uri_parse(text, &uri) &&
                curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK;

    for (size_t i = 0; good && i < ARRAY_SIZE(none); i++) {
        good = curl_url_get(url, none[i], &part, 0) != CURLUE_OK;
        curl_free(part);
        part = NULL;
    }
    if (good && curl_url_get(url, CURLUPART_SCHEME, &part, 0) == CURLUE_OK)
        good = strcmp(part, "https") == 0 || strcmp(part, "http") == 0;
    curl_free(part);
    part = NULL;
    if (good && curl_url_get(url, CURLUPART_PATH, &part, 0) == CURLUE_OK)
        good = strcmp(part, "/") == 0;
    curl_free(part);
    if (good)
        return url;
    curl_url_cleanup(url);
    return NULL;
}

static bool is_bucket_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";
    size_t length = strlen(name);

    return length >= 3 && length <= 63 && name[strspn(name, allowed)] == '\0' &&
           !strchr(".-", name[0]) && !strchr(".-", name[length - 1]);
}

int s3_check(const struct s3_options *options, struct error *err)
{
    CLEANUP(curl_loop_free_url) CURLU *url = parse_url(options->url);

    if (!url)
        return error_set(err, ERR_INTERNAL, "s3_url: http(s)://HOST[:PORT]");
    if (!options->bucket || !is_bucket_name(options->bucket))
        return error_set(err, ERR_INTERNAL,
                         "s3_bucket: 3 to 63 of a-z, 0-9, \".\" and \"-\" between them");
    if (!options->signer.access_key || strpbrk(options->signer.access_key, "/, \t"))
        return error_set(err, ERR_INTERNAL, "s3_key: an access key, without slashes and blanks");
    if (options->signer.secret_key && strlen(options->signer.secret_key) >= SIGV4_SECRET_MAX)
        return error_set(err, ERR_INTERNAL, "s3_secret_file: too long");
    if (strpbrk(options->signer.region, "/, \t") || !*options->signer.region)
        return error_set(err, ERR_INTERNAL, "s3_region: a name without slashes and blanks");
    return 0;
}

static char *text_of(const char *format, ...) PRINTF_LIKE(1, 2);

static char *text_of(const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        log_die("s3", "out of memory");
    va_end(args);
    return text;
}

/* Sets "host": libcurl omits default ports, and the signed value must be the sent one. */
static void set_address(struct s3 *self)
{
    CLEANUP(curl_loop_free_url) CURLU *url = parse_url(self->options.url);
    CLEANUP(curl_loop_free_text) char *scheme = NULL;
    CLEANUP(curl_loop_free_text) char *host = NULL;
    CLEANUP(curl_loop_free_text) char *port = NULL;
    const char *label = self->options.host_style ? self->options.bucket : "";

    if (curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_HOST, &host, 0) != CURLUE_OK)
        log_die("s3", "out of memory");
    (void)curl_url_get(url, CURLUPART_PORT, &port, CURLU_NO_DEFAULT_PORT);
    self->host =
        text_of("%s%s%s%s%s", label, *label ? "." : "", host, port ? ":" : "", port ? port : "");
    self->base = text_of("%s://%s", scheme, self->host);
    self->bucket_url =
        text_of("%s%s%s", self->base, *label ? "" : "/", *label ? "" : self->options.bucket);
}

struct s3 *s3_new(struct loop *loop, const struct s3_options *options)
{
    struct s3 *self = memory_new(sizeof(*self));

    self->loop = loop;
    fiber_sem_init(&self->in_flight, loop, IN_FLIGHT_MAX, FIBER_SEM_UNBOUNDED);
    self->curl = curl_loop_new(loop);
    self->options = *options;
    set_address(self);
    return self;
}

void s3_destroy(struct s3 **self_p)
{
    struct s3 *self = *self_p;

    if (!self)
        return;
    curl_loop_destroy(&self->curl);
    free(self->base);
    free(self->host);
    free(self->bucket_url);
    free(self);
    *self_p = NULL;
}

const char *s3_bucket_url(const struct s3 *self)
{
    return self->bucket_url;
}

/* ---- one try ---- */

static size_t take(char *bytes, size_t one, size_t count, void *arg)
{
    struct try *try = arg;
    size_t size = one * count;
    long status = 0;

    curl_easy_getinfo(try->easy, CURLINFO_RESPONSE_CODE, &status);
    if (try->call->target && status < 300) {
        size_t fits = MIN(size, try->call->room - try->taken);

        memcpy((char *)try->call->target + try->taken, bytes, fits);
        try->taken += fits;
        try->enough = fits < size; /* the server sent too much */
        return fits;
    }
    try->too_large = size > TEXT_MAX - try->text.size;
    return try->too_large || codec_write(&try->text, bytes, size) != 0 ? 0 : size;
}

static size_t body_size(const struct s3_call *call)
{
    return !call->body ? 0 : call->body_size > 0 ? call->body_size : strlen(call->body);
}

/* Returns the signed headers, as libcurl sends them. */
static struct curl_slist *sign(const struct s3 *self, const struct s3_call *call,
                               struct arena *arena)
{
    struct sigv4_header headers[ALL_HEADERS];
    char stamp[SIGV4_STAMP_SIZE], hash[SIGV4_SIGNATURE_SIZE];
    const char *body = call->body ? call->body : "", *slash = *call->key ? "/" : "";
    struct sigv4_request request = {
        .method = call->method, .query = call->query ? call->query : "", .headers = headers};
    struct curl_slist *list = NULL;
    bool hashed = false;

    request.path = self->options.host_style
                       ? arena_printf(arena, "/%s", call->key)
                       : arena_printf(arena, "/%s%s%s", self->options.bucket, slash, call->key);
    sigv4_stamp((int64_t)time(NULL) * 1000, stamp); /* real time, not contract time */
    sigv4_hash(body, body_size(call), hash);
    headers[request.header_count++] = (struct sigv4_header){"host", self->host};
    for (size_t i = 0; i <= S3_HEADERS_MAX; i++) {
        const struct sigv4_header *each = i < S3_HEADERS_MAX ? &call->headers[i] : NULL;

        if (!hashed && (!each || !each->name || strcmp(each->name, "x-amz-content-sha256") > 0)) {
            headers[request.header_count++] = (struct sigv4_header){"x-amz-content-sha256", hash};
            hashed = true;
        }
        if (!each || !each->name)
            break;
        headers[request.header_count++] = *each;
    }
    headers[request.header_count++] = (struct sigv4_header){"x-amz-date", stamp};
    list = curl_slist_append(
        list, arena_printf(arena, "authorization: %s",
                           sigv4_authorization(&self->options.signer, &request, arena)));
    for (size_t i = 0; i < request.header_count; i++)
        list = curl_slist_append(list,
                                 arena_printf(arena, "%s: %s", headers[i].name, headers[i].value));
    list = curl_slist_append(list, "content-type:");
    return curl_slist_append(list, "expect:");
}

static CURLcode set_options(const struct s3 *self, struct try *try, struct curl_slist *headers,
                            struct arena *arena)
{
    const struct s3_call *call = try->call;
    const char *slash = *call->key ? "/" : "";
    CURL *easy = try->easy;
    CURLcode code = CURLE_OK;

#define SET(option, value) code = code == CURLE_OK ? curl_easy_setopt(easy, option, value) : code
    SET(CURLOPT_URL, arena_printf(arena, "%s%s%s%s%s", self->bucket_url, slash, call->key,
                                  call->query ? "?" : "", call->query ? call->query : ""));
    SET(CURLOPT_PROTOCOLS_STR, "https,http");
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_USERAGENT, "Atrium/" ATRIUM_VERSION);
    if (strcmp(call->method, "HEAD") == 0)
        SET(CURLOPT_NOBODY, 1L);
    else if (strcmp(call->method, "GET") != 0) {
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body_size(call));
        SET(CURLOPT_POSTFIELDS, call->body ? call->body : "");
        SET(CURLOPT_CUSTOMREQUEST, call->method);
    }
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_WRITEFUNCTION, take);
    SET(CURLOPT_WRITEDATA, try);
#undef SET
    return code;
}

/* Returns ms; 0: none. */
static int64_t read_date(CURL *easy, const char *name)
{
    struct curl_header *header;

    if (curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
        return 0;
    return MAX(curl_getdate(header->value, NULL), 0) * INT64_C(1000);
}

static void read_answer(struct try *try, struct arena *arena, struct s3_answer *ret)
{
    struct curl_header *header;
    curl_off_t length = -1;
    long status = 0;

    curl_easy_getinfo(try->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(try->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    *ret = (struct s3_answer){.status = (int)status,
                              .size = try->taken > 0 ? try->taken : try->text.size,
                              .length = length,
                              .code = ""};
    if (curl_easy_header(try->easy, "ETag", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
        ret->etag = arena_strdup(arena, header->value);
    ret->modified = read_date(try->easy, "Last-Modified");
    ret->date = read_date(try->easy, "Date");
    codec_write(&try->text, "", 1);
    ret->text = (const char *)try->text.bytes;
    if (status >= 300 && try->text.size > 1) {
        const char *code = s3_xml_text(arena, ret->text, try->text.size - 1, "Error/Code");

        ret->code = code ? code : "";
    }
}

static bool is_answer(const struct s3_answer *answer)
{
    if (answer->status == 501) /* a retry cannot help */
        return true;
    if (answer->status < 200 || answer->status / 100 == 3 || answer->status >= 500)
        return false;
    return answer->status != 401 && answer->status != 403 && answer->status != 429 &&
           strcmp(answer->code, "NoSuchBucket") != 0;
}

/* Sends a request once. ERR_UNAVAILABLE: a retry may help. */
static int try_once(struct s3 *self, const struct request *req, const struct s3_call *call,
                    int64_t until_ms, struct s3_answer *ret, struct error *err)
{
    CLEANUP(curl_loop_free_list) struct curl_slist *headers = sign(self, call, req->arena);
    CLEANUP(curl_loop_free_easy) CURL *easy = curl_loop_easy(self->curl);
    struct try try = {.call = call, .easy = easy};
    struct span span;
    CURLcode code;

    if (!headers)
        log_die("s3", "out of memory");
    codec_buffer_init(&try.text, req->arena);
    code = set_options(self, &try, headers, req->arena);
    curl_loop_span_begin(self->curl, &span);
    ret->abandoned =
        code == CURLE_OK && curl_loop_perform(self->curl, easy, until_ms, &code, err) < 0;
    curl_loop_span_end(&span, easy,
                       ret->abandoned ? CURLE_OPERATION_TIMEDOUT
                       : try.enough   ? CURLE_OK
                                      : code);
    if (ret->abandoned)
        return err->code == ERR_DEADLINE ? s3_unavailable(err, call->method, "no answer in time")
                                         : -1;
    if (code != CURLE_OK && !try.enough)
        return s3_unavailable(err, call->method,
                              try.too_large ? "too large an answer" : curl_easy_strerror(code));
    read_answer(&try, req->arena, ret);
    if (is_answer(ret))
        return 0;
    return s3_unavailable(err, call->method,
                          arena_printf(req->arena, "%d %s", ret->status, ret->code));
}

/* ---- calls ---- */

int s3_call(struct s3 *self, const struct request *req, const struct s3_call *call,
            struct s3_answer *ret, struct error *err)
{
    int64_t last_ms = req->deadline_mono_ms - RESERVE_MS, now_ms;
    bool abandoned = false;
    int result = -1;

    *ret = (struct s3_answer){.code = ""};
    if (fiber_sem_acquire(&self->in_flight, 1, last_ms, err) < 0)
        return err->code == ERR_DEADLINE ? s3_unavailable(err, "all", "no answers in time") : -1;
    for (int tries = call->once ? 1 : 2; tries > 0; tries--) {
        error_clear(err);
        now_ms = clock_mono_ms();
        result = try_once(self, req, call,
                          MIN(last_ms, now_ms + (call->try_ms > 0 ? call->try_ms : S3_TRY_MS)), ret,
                          err);
        abandoned |= ret->abandoned;
        now_ms = clock_mono_ms();
        if (result == 0 || err->code != ERR_UNAVAILABLE || now_ms + PAUSE_MS >= last_ms)
            break;
        struct error stopping;

        error_init(&stopping, NULL);
        if (tries > 1 && fiber_sleep_until(self->loop, now_ms + PAUSE_MS, &stopping) < 0)
            break;
    }
    fiber_sem_release(&self->in_flight, 1);
    ret->abandoned = abandoned;
    return result;
}

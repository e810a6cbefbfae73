/*
 * http.c - see http.h.
 */
#include "tests/support/http.h"

#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <curl/curl.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"

enum { ANSWER_MAX = 64 * 1024 * 1024, TIME_LIMIT_S = 30 };

static const char *trusted;

void http_trust(const char *authority)
{
    trusted = authority;
}

struct transfer {
    CURL *easy;
    struct curl_slist *headers;
    char *body;
    struct http_answer *answer;
    size_t header_size, room; /* allocated for the body */
};

static size_t take_body(char *data, size_t size, size_t count, void *arg)
{
    struct transfer *transfer = arg;
    struct http_answer *answer = transfer->answer;
    size_t more = size * count;

    if (answer->size + more > ANSWER_MAX)
        return 0;
    if (answer->size + more >=
        transfer->room) { /* doubled, because a sanitizer's realloc() copies */
        transfer->room = 2 * (answer->size + more) + 1;
        answer->body = realloc(answer->body, transfer->room);
    }
    memcpy(answer->body + answer->size, data, more);
    answer->size += more;
    answer->body[answer->size] = '\0';
    return more;
}

static size_t take_header(char *data, size_t size, size_t count, void *arg)
{
    struct transfer *transfer = arg;
    size_t more = size * count;

    transfer->answer->header_text =
        realloc(transfer->answer->header_text, transfer->header_size + more + 1);
    memcpy(transfer->answer->header_text + transfer->header_size, data, more);
    transfer->header_size += more;
    transfer->answer->header_text[transfer->header_size] = '\0';
    return more;
}

static void transfer_header(struct transfer *transfer, const char *format, const char *value)
{
    char *line = NULL;

    if (asprintf(&line, "%s%s", format, value) < 0)
        abort();
    transfer->headers = curl_slist_append(transfer->headers, line);
    free(line);
}

static void transfer_body(struct transfer *transfer, const struct http_request *request)
{
    size_t size = 0;

    if (request->body) {
        transfer->body = json_dumps(request->body, JSON_COMPACT | JSON_ENCODE_ANY);
        json_decref(request->body);
        size = strlen(transfer->body);
    } else if (request->raw) {
        size = request->raw_size ? request->raw_size : strlen(request->raw);
        transfer->body = malloc(size + 1);
        memcpy(transfer->body, request->raw, size);
    }
    if (!transfer->body)
        return;
    if (!request->content_type)
        transfer_header(transfer, "Content-Type: ", "application/json");
    else
        transfer_header(transfer, "Content-Type:", request->content_type);
    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDS, transfer->body);
    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
}

static void transfer_start(struct transfer *transfer, const char *base_url,
                           const struct http_request *request)
{
    const char *method = request->method ? request->method : "GET";
    char *url = NULL;

    *transfer = (struct transfer){.easy = curl_easy_init()};
    transfer->answer = calloc(1, sizeof(*transfer->answer));
    transfer->answer->body = calloc(1, 1);
    transfer->answer->header_text = calloc(1, 1);
    if (asprintf(&url, "%s%s", base_url, request->path) < 0)
        abort();
    curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
    free(url);
    curl_easy_setopt(transfer->easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
    if (trusted)
        curl_easy_setopt(transfer->easy, CURLOPT_CAINFO, trusted);
    curl_easy_setopt(transfer->easy, CURLOPT_TIMEOUT,
                     request->limit_s > 0 ? request->limit_s : (long)TIME_LIMIT_S);
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(transfer->easy, CURLOPT_HEADERDATA, transfer);
    transfer_body(transfer, request);
    if (request->source)
        curl_easy_setopt(transfer->easy, CURLOPT_INTERFACE, request->source);
    if (strcmp(method, "HEAD") == 0)
        curl_easy_setopt(transfer->easy, CURLOPT_NOBODY, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_CUSTOMREQUEST, method);
    if (request->bearer)
        transfer_header(transfer, "Authorization: Bearer ", request->bearer);
    transfer_header(transfer, "Expect:", "");
    for (size_t i = 0; i < ARRAY_SIZE(request->headers) && request->headers[i]; i++)
        transfer_header(transfer, request->headers[i], "");
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
}

/* Appends one short line with one write, so that concurrent programs do not mix. */
static void record_coverage(const struct http_request *request, int status)
{
    const char *path = getenv("ATRIUM_COVERAGE");
    char line[512];
    int fd, size;

    if (!path)
        return;
    fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    size =
        snprintf(line, sizeof(line), "%s %.400s %d %s\n", request->method ? request->method : "GET",
                 request->path, status, getenv("ATRIUM_COVERAGE_OPTIONAL") ? "optional" : "always");
    if (write(fd, line, (size_t)size) < 0)
        perror("coverage");
    close(fd);
}

static struct http_answer *transfer_finish(struct transfer *transfer,
                                           const struct http_request *request, CURLcode code)
{
    struct http_answer *answer = transfer->answer;
    long status = 0;

    if (code == CURLE_OK)
        curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(transfer->easy, CURLINFO_TOTAL_TIME, &answer->seconds);
    answer->status = (int)status;
    answer->json = json_loadb(answer->body, answer->size, 0, NULL);
    record_coverage(request, answer->status);
    curl_slist_free_all(transfer->headers);
    curl_easy_cleanup(transfer->easy);
    free(transfer->body);
    return answer;
}

struct http_answer *http_call(const char *base_url, const struct http_request *request)
{
    struct transfer transfer;

    transfer_start(&transfer, base_url, request);
    return transfer_finish(&transfer, request, curl_easy_perform(transfer.easy));
}

void http_answer_destroy(struct http_answer **self_p)
{
    if (!*self_p)
        return;
    json_decref((*self_p)->json);
    free((*self_p)->body);
    free((*self_p)->header_text);
    free(*self_p);
    *self_p = NULL;
}

void http_call_many(const char *base_url, const struct http_request *requests, size_t count,
                    size_t parallel, struct http_answer **ret_answers)
{
    struct transfer *transfers = calloc(count, sizeof(*transfers));
    CURLM *multi = curl_multi_init();
    size_t started = 0, done = 0;

    while (done < count) {
        int running, queued;
        CURLMsg *message;

        for (; started < count && started - done < parallel; started++) {
            transfer_start(&transfers[started], base_url, &requests[started]);
            curl_easy_setopt(transfers[started].easy, CURLOPT_PRIVATE, (void *)started);
            curl_easy_setopt(transfers[started].easy, CURLOPT_FORBID_REUSE, 1L);
            curl_easy_setopt(transfers[started].easy, CURLOPT_FRESH_CONNECT, 1L);
            curl_multi_add_handle(multi, transfers[started].easy);
        }
        curl_multi_perform(multi, &running);
        while ((message = curl_multi_info_read(multi, &queued))) {
            CURLcode code = message->data.result;
            void *index;

            if (message->msg != CURLMSG_DONE)
                continue;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &index);
            curl_multi_remove_handle(multi, message->easy_handle);
            ret_answers[(size_t)index] =
                transfer_finish(&transfers[(size_t)index], &requests[(size_t)index], code);
            done++;
        }
        /* curl_multi_poll() would wait its full time when no transfer is running */
        if (done < count && started - done == MIN(parallel, count - done))
            curl_multi_poll(multi, NULL, 0, 100, NULL);
    }
    curl_multi_cleanup(multi);
    free(transfers);
}

void http_answers_destroy(struct http_answer **answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        http_answer_destroy(&answers[i]);
}

json_t *http_find(const json_t *list, const char *member, const char *text)
{
    json_t *each;
    size_t i;

    json_array_foreach(list, i, each)
    {
        const char *value = json_string_value(json_object_get(each, member));

        if (value && strcmp(value, text) == 0)
            return each;
    }
    return NULL;
}

int http_count_status(struct http_answer *const *answers, int count, int status)
{
    int found = 0;

    for (int i = 0; i < count; i++)
        found += answers[i]->status == status;
    return found;
}

char *http_raw(const char *base_url, const void *bytes, size_t size, bool finish, int timeout_ms)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int64_t deadline = clock_mono_ms() + timeout_ms;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char *answer = calloc(1, 65536);
    size_t have = 0;

    to.sin_port = htons((uint16_t)strtol(strrchr(base_url, ':') + 1, NULL, 10));
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
        send(fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size) {
        if (finish)
            shutdown(fd, SHUT_WR);
        while (have < 65535) {
            struct pollfd ready = {.fd = fd, .events = POLLIN};
            int64_t left = deadline - clock_mono_ms();
            ssize_t got;

            if (left <= 0 || poll(&ready, 1, (int)left) <= 0)
                break;
            got = recv(fd, answer + have, 65535 - have, 0);
            if (got <= 0)
                break;
            have += (size_t)got;
        }
    }
    close(fd);
    return answer;
}

char *http_header(const struct http_answer *answer, const char *name)
{
    size_t length = strlen(name);

    for (const char *line = answer->header_text; line && *line; line = strchr(line, '\n')) {
        if (*line == '\n')
            line++;
        if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
            const char *value = line + length + 1;

            value += strspn(value, " \t");
            return strndup(value, strcspn(value, "\r\n"));
        }
    }
    return NULL;
}

bool http_took(const struct http_answer *answer, int ms)
{
    return answer->seconds * 1000 >= ms - 1;
}

long http_retry_after(const struct http_answer *answer)
{
    char *text = http_header(answer, "Retry-After");
    long seconds = text ? strtol(text, NULL, 10) : 0;

    free(text);
    return seconds;
}

json_t *http_member(const struct http_answer *answer, const char *path)
{
    json_t *at = answer->json;
    char *copy = strdup(path), *rest = NULL;

    for (char *part = strtok_r(copy, ".", &rest); part && at; part = strtok_r(NULL, ".", &rest)) {
        if (json_is_array(at))
            at = json_array_get(at, (size_t)strtol(part, NULL, 10));
        else
            at = json_object_get(at, part);
    }
    free(copy);
    return at;
}

const char *http_text(const struct http_answer *answer, const char *path)
{
    const char *text = json_string_value(http_member(answer, path));

    return text ? text : "";
}

struct http_answer *http_get(const char *base_url, const char *path, const char *bearer)
{
    return http_call(base_url, &(struct http_request){.path = path, .bearer = bearer});
}

struct http_answer *http_post(const char *base_url, const char *path, const char *bearer,
                              json_t *body)
{
    return http_call(base_url, &(struct http_request){
                                   .method = "POST", .path = path, .bearer = bearer, .body = body});
}

struct http_answer *http_put(const char *base_url, const char *path, const char *bearer,
                             json_t *body)
{
    return http_call(base_url, &(struct http_request){
                                   .method = "PUT", .path = path, .bearer = bearer, .body = body});
}

struct http_answer *http_delete(const char *base_url, const char *path, const char *bearer)
{
    return http_call(base_url,
                     &(struct http_request){.method = "DELETE", .path = path, .bearer = bearer});
}

static bool report(bool holds, const struct http_answer *answer, const char *want, const char *file,
                   int line)
{
    if (!holds)
        fprintf(stderr, "\n%s:%d: want %s, got %d %.600s\n", file, line, want, answer->status,
                answer->body);
    return CU_assertImplementation(holds, (unsigned)line, want, file, "", CU_FALSE);
}

bool http_check_status(const struct http_answer *answer, int want, const char *file, int line)
{
    char text[32];

    snprintf(text, sizeof(text), "status %d", want);
    return report(answer->status == want, answer, text, file, line);
}

bool http_check_error(const struct http_answer *answer, int status, const char *message,
                      const char *file, int line)
{
    char text[320];
    bool holds;

    snprintf(text, sizeof(text), "%d %s", status, message);
    holds = answer->status == status &&
            json_integer_value(http_member(answer, "statusCode")) == status &&
            strcmp(http_text(answer, "message"), message) == 0 && *http_text(answer, "error");
    return report(holds, answer, text, file, line);
}

bool http_check_problem(const struct http_answer *answer, const char *path, const char *file,
                        int line)
{
    json_t *list = http_member(answer, "message"), *entry;
    char text[320];
    bool found = false;
    size_t i;

    snprintf(text, sizeof(text), "422 with path %s", path);
    json_array_foreach(list, i, entry)
    {
        const char *at = json_string_value(json_object_get(entry, "path"));
        const char *why = json_string_value(json_object_get(entry, "message"));

        found = found || (at && why && *why && strcmp(at, path) == 0);
    }
    return report(answer->status == 422 && found, answer, text, file, line);
}

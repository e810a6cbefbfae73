/*
 * document.c - see document.h.
 */
#include "tests/support/document.h"

#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <curl/curl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/unit.h"

static const char boundary[] = "------------------------4e1f9c2a7b60d385";

void form_body_begin(struct form_body *self)
{
    *self = (struct form_body){0};
    snprintf(self->type, sizeof(self->type), " multipart/form-data; boundary=%s", boundary);
    self->out = open_memstream(&self->bytes, &self->size);
}

void form_body_field(struct form_body *self, const char *name, const char *value)
{
    fprintf(self->out, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n",
            boundary, name, value);
}

void form_body_file(struct form_body *self, const char *name, const void *bytes, size_t size)
{
    fprintf(self->out,
            "--%s\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"a\"\r\n"
            "Content-Type: application/octet-stream\r\n\r\n",
            boundary, name);
    fwrite(bytes, 1, size, self->out);
    fprintf(self->out, "\r\n");
}

void form_body_end(struct form_body *self)
{
    fprintf(self->out, "--%s--\r\n", boundary);
    fclose(self->out);
    self->out = NULL;
}

void form_body_free(struct form_body *self)
{
    if (self->out)
        fclose(self->out);
    free(self->bytes);
    *self = (struct form_body){0};
}

struct form_body form_body_of(const json_t *fields, const void *bytes, size_t size)
{
    struct form_body form;
    const char *name;
    json_t *value;

    form_body_begin(&form);
    json_object_foreach((json_t *)(uintptr_t)fields, name, value)
        form_body_field(&form, name, json_string_value(value));
    form_body_file(&form, "file", bytes, size);
    form_body_end(&form);
    return form;
}

long form_post_to(const char *url, json_t *fields, const char *bytes, size_t size)
{
    CURL *curl = curl_easy_init();
    curl_mime *form = curl_mime_init(curl);
    curl_mimepart *part;
    const char *name;
    json_t *value;
    long status = 0;

    json_object_foreach(fields, name, value)
    {
        part = curl_mime_addpart(form);
        curl_mime_name(part, name);
        curl_mime_data(part, json_string_value(value), CURL_ZERO_TERMINATED);
    }
    part = curl_mime_addpart(form);
    curl_mime_name(part, "file");
    curl_mime_filename(part, "a.bin");
    curl_mime_data(part, bytes, size);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_MIMEPOST, form);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
    if (curl_easy_perform(curl) == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_mime_free(form);
    curl_easy_cleanup(curl);
    return status;
}

struct http_answer *form_post(const struct suite *suite, const char *path,
                              const struct form_body *form)
{
    return http_call(suite_url(suite),
                     &(struct http_request){.method = "POST",
                                            .path = path ? path : "/storage/documents",
                                            .raw = form->bytes,
                                            .raw_size = form->size,
                                            .content_type = form->type});
}

int form_open(const struct suite *suite, const struct form_body *form, const char *framing)
{
    struct timeval limit = {.tv_sec = 30};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int port = 0, connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char head[512], length[64];

    sscanf(strrchr(suite_url(suite), ':'), ":%d", &port);
    to.sin_port = htons((uint16_t)port);
    UNIT_CHECK(connect(connection, (struct sockaddr *)&to, sizeof(to)) == 0, "port %d", port);
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    snprintf(length, sizeof(length), "Content-Length: %zu", form->size);
    form_send(connection, head,
              (size_t)snprintf(head, sizeof(head),
                               "POST /storage/documents HTTP/1.1\r\nHost: a\r\n%s\r\n"
                               "Content-Type:%s\r\n\r\n",
                               framing ? framing : length, form->type));
    return connection;
}

void form_send(int connection, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        ssize_t sent = send(connection, at, size, MSG_NOSIGNAL);

        if (sent <= 0)
            return;
        at += sent;
        size -= (size_t)sent;
    }
}

int form_answer(int connection)
{
    char answer[1024] = "";
    int status = 0;

    if (recv(connection, answer, sizeof(answer) - 1, 0) > 0)
        sscanf(answer, "HTTP/1.1 %d", &status);
    close(connection);
    return status;
}

struct http_answer *document_make(const struct suite *suite, const char *access, const char *name,
                                  const char *type)
{
    return http_post(suite_url(suite), "/document", access,
                     json_pack("{s:s, s:s}", "fileName", name, "contentType", type));
}

struct http_answer *document_upload(const struct suite *suite, const struct http_answer *made,
                                    const void *bytes, size_t size)
{
    const char *url = http_text(made, "uploadOptions.url"), *base = suite_url(suite);
    struct form_body form = form_body_of(http_member(made, "uploadOptions.fields"), bytes, size);
    struct http_answer *answer;

    UNIT_CHECK(strncmp(url, base, strlen(base)) == 0, "%s", url);
    answer = form_post(suite, strlen(url) > strlen(base) ? url + strlen(base) : NULL, &form);
    form_body_free(&form);
    return answer;
}

char *document_put(const struct suite *suite, const char *access, const char *name,
                   const char *type, const void *bytes, size_t size)
{
    HTTP_ANSWER made = document_make(suite, access, name, type);
    CHECK_STATUS(made, 200);
    HTTP_ANSWER uploaded = document_upload(suite, made, bytes, size);
    CHECK_STATUS(uploaded, 204);
    return strdup(http_text(made, "id"));
}

const char *document_path(const char *id)
{
    static char path[128];

    snprintf(path, sizeof(path), "/document/%s", id);
    return path;
}

struct http_answer *document_get(const struct suite *suite, const char *access, const char *id)
{
    return http_get(suite_url(suite), document_path(id), access);
}

struct http_answer *document_get_with(const struct suite *suite, const char *access, const char *id,
                                      const char *method, const char *header)
{
    return http_call(suite_url(suite), &(struct http_request){.method = method,
                                                              .path = document_path(id),
                                                              .bearer = access,
                                                              .headers = {header}});
}

char *document_object(struct suite *suite, const char *id)
{
    char sql[200];

    snprintf(sql, sizeof(sql), "select object_id from doc.document where id = '%s'", id);
    return suite_query(suite, sql);
}

char *document_file(struct suite *suite, const char *id)
{
    TEXT object = document_object(suite, id);
    char *path;

    if (asprintf(&path, "%s/storage/%.2s/%s", suite_dir(suite), object, object) < 0)
        abort();
    return path;
}

bool check_bytes(const struct http_answer *answer, const void *bytes, size_t size, const char *file,
                 int line)
{
    return unit_check(answer->status == 200 && answer->size == size &&
                          memcmp(answer->body, bytes, size) == 0,
                      "the bytes", file, line, "%d, %zu bytes instead of %zu", answer->status,
                      answer->size, size);
}

char *test_bytes(size_t size, unsigned seed)
{
    char *bytes = malloc(size + 8);
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;

    for (size_t i = 0; i < size; i += 8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(bytes + i, &state, 8);
    }
    return bytes;
}

static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static uint8_t *put_be32(uint8_t *at, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (uint8_t)(value >> shift);
    return at;
}

/* Completes a chunk whose `size` bytes are already at at + 8, and returns where the next chunk
 * starts. */
static uint8_t *put_chunk(uint8_t *at, const char *type, size_t size)
{
    put_be32(at, (uint32_t)size);
    memcpy(at + 4, type, 4);
    return put_be32(at + 8 + size, crc32_of(at + 4, size + 4));
}

/* Writes a row with filter 0 as a stored deflate block (RFC 1951) and its part of the Adler
 * checksum: RGB gradients, or one bit per pixel. */
static uint8_t *put_row(uint8_t *at, int width, bool colour, int y, bool last,
                        uint32_t adler[static 2])
{
    uint16_t size = (uint16_t)(1 + (colour ? 3 * width : (width + 7) / 8));
    uint8_t *row = at + 5;

    *at++ = last;
    *at++ = (uint8_t)size;
    *at++ = (uint8_t)(size >> 8);
    *at++ = (uint8_t)~size;
    *at++ = (uint8_t)(~size >> 8);
    *at++ = 0;
    for (int x = 0; colour && x < width; x++) {
        *at++ = (uint8_t)x;
        *at++ = (uint8_t)y;
        *at++ = (uint8_t)(x + y);
    }
    while (at < row + size)
        *at++ = (uint8_t)y;
    for (; row < at; row++) {
        adler[0] = (adler[0] + *row) % 65521;
        adler[1] = (adler[1] + adler[0]) % 65521;
    }
    return at;
}

static char *make_png(int width, int height, bool colour, size_t *ret_size)
{
    size_t row = 1 + (colour ? 3 * (size_t)width : ((size_t)width + 7) / 8);
    size_t data = 2 + (size_t)height * (row + 5) + 4;
    uint8_t *bytes = malloc(8 + 25 + 12 + data + 12), *at = bytes, *idat;
    uint32_t adler[2] = {1, 0};

    memcpy(at, "\x89PNG\r\n\x1a\n", 8);
    memcpy(put_be32(put_be32(at + 16, (uint32_t)width), (uint32_t)height),
           colour ? "\x08\x02\0\0" : "\x01\0\0\0", 5);
    idat = put_chunk(at + 8, "IHDR", 13);
    memcpy(idat + 8, "\x78\x01", 2);
    at = idat + 10;
    for (int y = 0; y < height; y++)
        at = put_row(at, width, colour, y, y == height - 1, adler);
    put_be32(at, adler[1] << 16 | adler[0]);
    at = put_chunk(put_chunk(idat, "IDAT", data), "IEND", 0);
    *ret_size = (size_t)(at - bytes);
    return (char *)bytes;
}

char *test_png(int width, int height, size_t *ret_size)
{
    return make_png(width, height, true, ret_size);
}

char *test_png_bits(int width, int height, size_t *ret_size)
{
    return make_png(width, height, false, ret_size);
}

void test_png_sides(const struct http_answer *answer, int *ret_width, int *ret_height)
{
    const uint8_t *at = (const uint8_t *)answer->body + 16;
    bool is_png = answer->size > 24 && memcmp(answer->body, "\x89PNG", 4) == 0;

    *ret_width = is_png ? at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3] : 0;
    *ret_height = is_png ? at[4] << 24 | at[5] << 16 | at[6] << 8 | at[7] : 0;
}

static size_t found;

static int count_file(const char *path UNUSED, const struct stat *status UNUSED, int kind,
                      struct FTW *position UNUSED)
{
    found += kind == FTW_F;
    return 0;
}

size_t stored_files(const struct suite *suite)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/storage", suite_dir(suite));
    found = 0;
    nftw(path, count_file, 16, FTW_PHYS);
    return found;
}

bool stored_files_become(const struct suite *suite, size_t count, int timeout_ms)
{
    int64_t until = clock_mono_ms() + timeout_ms;

    while (stored_files(suite) != count && clock_mono_ms() < until)
        usleep(50000);
    return UNIT_CHECK(stored_files(suite) == count, "%zu files instead of %zu", stored_files(suite),
                      count);
}

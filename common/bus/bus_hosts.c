/*
 * bus_hosts.c - see bus_hosts.h. Addresses are numeric, because libzmq would resolve names in its
 * only I/O thread.
 */
#include "common/bus/bus_hosts.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <zmq.h>

#include "common/base/file.h"
#include "common/base/secret.h"

enum { LINE_SIZE = 512, ROWS_MAX = 4096 };

#define SCHEME "tcp://"

static_assert(BUS_KEY_SIZE == crypto_scalarmult_BYTES, "X25519");
static_assert((int)BUS_KEY_SIZE == (int)SEAL_KEY_SIZE, "secret_load_key() loads them");

struct reader {
    const char *path;
    struct arena *arena;
    struct bus_hosts *hosts;
    struct error *err;
    int line, *lines; /* lines: each row's line number */
};

bool bus_name_ok(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", text[i]) || text[i] == '\0')
            return false;
    return size > 0 && size <= BUS_NAME_MAX;
}

static int PRINTF_LIKE(2, 3) fail(const struct reader *reader, const char *format, ...)
{
    va_list args;
    const char *what;

    va_start(args, format);
    what = arena_vprintf(reader->arena, format, args);
    va_end(args);
    return error_set(reader->err, ERR_BAD_REQUEST, "%s:%d: %s", reader->path, reader->line, what);
}

/* ---- one line ---- */

static bool address_ok(const char *text)
{
    char host[INET6_ADDRSTRLEN], *end;
    const char *port = strrchr(text, ':');
    bool six = *text == '[';
    uint8_t bytes[sizeof(struct in6_addr)];
    long number;
    size_t length;

    if (!port || port[1] < '1' || port[1] > '9')
        return false;
    number = strtol(port + 1, &end, 10);
    length = (size_t)(port - text);
    if (*end != '\0' || number > UINT16_MAX || length < 2 || length >= sizeof(host) ||
        (six && port[-1] != ']'))
        return false;
    snprintf(host, sizeof(host), "%.*s", (int)(length - (six ? 2 : 0)), text + six);
    return inet_pton(six ? AF_INET6 : AF_INET, host, bytes) == 1;
}

bool bus_endpoint_ok(const char *text)
{
    return strcmp(text, "-") == 0 ||
           (strncmp(text, SCHEME, strlen(SCHEME)) == 0 && address_ok(text + strlen(SCHEME)));
}

static int read_name(const struct reader *reader, const char *text, struct bus_host *row)
{
    const char *dot = strchr(text, '.');

    if (!dot || !bus_name_ok(text, (size_t)(dot - text)) || !bus_name_ok(dot + 1, strlen(dot + 1)))
        return fail(reader, "\"%s\" is not the name of an instance, such as authd.b1", text);
    row->name = arena_strdup(reader->arena, text);
    row->service = arena_strndup(reader->arena, text, (size_t)(dot - text));
    row->instance = row->name + (dot + 1 - text);
    return 0;
}

static int read_endpoint(const struct reader *reader, const char *text, struct bus_host *row)
{
    if (!bus_endpoint_ok(text))
        return fail(reader, "\"%s\" must be tcp://ADDRESS:PORT with a numeric address, or -", text);
    if (strcmp(text, "-") != 0)
        row->endpoint = arena_strdup(reader->arena, text);
    return 0;
}

static int read_key(const struct reader *reader, const char *text, struct bus_host *row)
{
    if (strlen(text) != BUS_KEY_TEXT_SIZE - 1 || !zmq_z85_decode(row->key, text))
        return fail(reader, "\"%s\" is not a public key: %d characters of Z85", text,
                    BUS_KEY_TEXT_SIZE - 1);
    return 0;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Checks a row against the others. A key or endpoint belongs to one instance; an instance has one
 * endpoint and at most two keys. */
static int check_row(const struct reader *reader, const struct bus_host *row)
{
    int keys = 1;

    for (size_t i = 0; i < reader->hosts->count; i++) {
        const struct bus_host *other = &reader->hosts->rows[i];
        bool same = strcmp(other->name, row->name) == 0;

        if (memcmp(other->key, row->key, BUS_KEY_SIZE) == 0)
            return fail(reader, "the key is already on line %d", reader->lines[i]);
        if (same != same_text(other->endpoint, row->endpoint) && (same || row->endpoint))
            return fail(reader,
                        same ? "%s has a different address on line %d"
                             : "%s has the same address as the instance on line %d",
                        row->name, reader->lines[i]);
        if (same && ++keys > BUS_HOST_KEYS_MAX)
            return fail(reader, "%s has more than %d keys", row->name, BUS_HOST_KEYS_MAX);
    }
    return 0;
}

/* Comments need their own line, since a key can contain #. */
static int read_line(struct reader *reader, char *text)
{
    static const char blanks[] = " \t\r";
    struct bus_host row = {.name = ""};
    char *name = strtok_r(text, blanks, &text), *where = strtok_r(NULL, blanks, &text),
         *key = strtok_r(NULL, blanks, &text);

    if (!name || *name == '#')
        return 0;
    if (!where || !key)
        return fail(reader, "must be: INSTANCE tcp://ADDRESS:PORT KEY; the key is required");
    if (strtok_r(NULL, blanks, &text))
        return fail(reader, "there is text after the key");
    if (read_name(reader, name, &row) < 0 || read_endpoint(reader, where, &row) < 0 ||
        read_key(reader, key, &row) < 0 || check_row(reader, &row) < 0)
        return -1;
    if (reader->hosts->count == ROWS_MAX)
        return fail(reader, "more than %d instances", ROWS_MAX);
    reader->lines[reader->hosts->count] = reader->line;
    reader->hosts->rows[reader->hosts->count++] = row;
    return 0;
}

/* ---- the file ---- */

static void wipe_key(void *hosts)
{
    sodium_memzero(((struct bus_hosts *)hosts)->secret_key, BUS_KEY_SIZE);
}

static int read_lines(struct reader *reader, FILE *file)
{
    char text[LINE_SIZE];

    file_skip_mark(file);
    while (fgets(text, sizeof(text), file)) {
        size_t length = strcspn(text, "\n");

        reader->line++;
        if (length == sizeof(text) - 1)
            return fail(reader, "longer than %d bytes", LINE_SIZE - 2);
        text[length] = '\0';
        if (read_line(reader, text) < 0)
            return -1;
    }
    if (ferror(file))
        return error_set(reader->err, ERR_INTERNAL, "%s: %s", reader->path, strerror(errno));
    return 0;
}

int bus_hosts_read(const char *path, struct arena *arena, struct bus_hosts **ret, struct error *err)
{
    CLEANUP(file_close) FILE *file = fopen(path, "re");
    struct reader reader = {.path = path, .arena = arena, .err = err};
    struct stat status;

    if (!file || fstat(fileno(file), &status) < 0)
        return error_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
    /* Write access would allow impersonation. */
    if (!S_ISREG(status.st_mode) || (status.st_mode & S_IWOTH) != 0)
        return error_set(err, ERR_INTERNAL, "%s must be a file that other users cannot write",
                         path);
    reader.hosts = arena_alloc(arena, sizeof(*reader.hosts));
    reader.hosts->rows = arena_calloc(arena, ROWS_MAX, sizeof(*reader.hosts->rows));
    reader.lines = arena_calloc(arena, ROWS_MAX, sizeof(*reader.lines));
    arena_on_destroy(arena, wipe_key, reader.hosts);
    if (read_lines(&reader, file) < 0)
        return -1;
    *ret = reader.hosts;
    return 0;
}

/* ---- keys ---- */

void bus_hosts_public_key(const uint8_t secret[static BUS_KEY_SIZE],
                          uint8_t ret[static BUS_KEY_SIZE])
{
    crypto_scalarmult_base(ret, secret);
}

void bus_hosts_key_text(const uint8_t key[static BUS_KEY_SIZE], char ret[static BUS_KEY_TEXT_SIZE])
{
    zmq_z85_encode(ret, key, BUS_KEY_SIZE);
}

int bus_hosts_take_key(struct bus_hosts *self, const char *directory, const char *name,
                       struct error *err)
{
    CLEANUP(secret_wipe) struct secret key = {.length = 0};
    uint8_t public_key[BUS_KEY_SIZE];
    char path[4200];

    snprintf(path, sizeof(path), "%s/%s.key", directory, name);
    if (secret_load_key(path, &key, err) < 0)
        return -1;
    bus_hosts_public_key(key.bytes, public_key);
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->rows[i].name, name) == 0 &&
            memcmp(self->rows[i].key, public_key, BUS_KEY_SIZE) == 0)
            self->own = &self->rows[i];
    if (!self->own)
        return error_set(err, ERR_INTERNAL, "No line of bus_hosts has %s with the key in %s.", name,
                         path);
    memcpy(self->secret_key, key.bytes, BUS_KEY_SIZE);
    return 0;
}

int bus_hosts_listen(struct bus_hosts *self, const char *address, struct arena *arena,
                     struct error *err)
{
    const char *endpoint;

    if (!self->own->endpoint)
        return 0;
    endpoint = arena_printf(arena, strchr(address, ':') ? SCHEME "[%s]%s" : SCHEME "%s%s", address,
                            strrchr(self->own->endpoint, ':'));
    if (!bus_endpoint_ok(endpoint))
        return error_set(err, ERR_BAD_REQUEST,
                         "bus_listen: \"%s\" is not a numeric address, such as 0.0.0.0", address);
    self->listen = endpoint;
    return 0;
}

/* ---- questions ---- */

const struct bus_host *bus_hosts_by_key(const struct bus_hosts *self,
                                        const uint8_t key[static BUS_KEY_SIZE])
{
    for (size_t i = 0; i < self->count; i++)
        if (memcmp(self->rows[i].key, key, BUS_KEY_SIZE) == 0)
            return &self->rows[i];
    return NULL;
}

size_t bus_hosts_by_name(const struct bus_hosts *self, const char *name,
                         const struct bus_host *ret[static BUS_HOST_KEYS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; self && i < self->count; i++)
        if (self->rows[i].endpoint && strcmp(self->rows[i].name, name) == 0)
            ret[count++] = &self->rows[i];
    return count;
}

bool bus_hosts_has_name(const struct bus_hosts *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->rows[i].name, name) == 0)
            return true;
    return false;
}

size_t bus_hosts_count_missing(const struct bus_hosts *self, const struct bus_hosts *other)
{
    size_t missing = 0;

    for (size_t i = 0; i < self->count; i++) {
        const struct bus_host *row = &self->rows[i], *same = bus_hosts_by_key(other, row->key);

        missing += !same || strcmp(same->name, row->name) != 0 ||
                   !same_text(same->endpoint, row->endpoint);
    }
    return missing;
}

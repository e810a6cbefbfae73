/*
 * log_journal.c - events as journal entries; their fields serve journalctl ATRIUM_REQUEST_ID=...
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "common/base/log_private.h"

enum { ENTRY_FIELDS_MAX = LOG_FIELDS_MAX + 10 };

struct entry {
    char *text;
    size_t length, size;
    struct iovec parts[ENTRY_FIELDS_MAX];
    int count;
};

bool log_journal_is_stderr(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    char own[64];
    struct stat st;

    if (!stream || fstat(STDERR_FILENO, &st) < 0)
        return false;
    snprintf(own, sizeof(own), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    return strcmp(stream, own) == 0;
}

static bool part_begin(struct entry *entry, const char *prefix, const char *key)
{
    size_t need = strlen(prefix) + strlen(key) + 1;

    if (entry->count == ENTRY_FIELDS_MAX || need > entry->size - entry->length)
        return false;
    entry->parts[entry->count].iov_base = entry->text + entry->length;
    memcpy(entry->text + entry->length, prefix, strlen(prefix));
    entry->length += strlen(prefix);
    for (; *key != '\0'; key++)
        entry->text[entry->length++] =
            isalnum((unsigned char)*key) ? (char)toupper((unsigned char)*key) : '_';
    entry->text[entry->length++] = '=';
    return true;
}

static void part_end(struct entry *entry, size_t length)
{
    struct iovec *part = &entry->parts[entry->count++];

    entry->length += length;
    part->iov_len = (size_t)(entry->text + entry->length - (char *)part->iov_base);
}

static void put(struct entry *entry, const char *prefix, const char *key, const char *text)
{
    size_t length;

    if (!text || text[0] == '\0' || !part_begin(entry, prefix, key))
        return;
    length = MIN(strlen(text), entry->size - entry->length);
    memcpy(entry->text + entry->length, text, length);
    part_end(entry, length);
}

static void put_number(struct entry *entry, const char *prefix, const char *key, int64_t number)
{
    char digits[24];

    snprintf(digits, sizeof(digits), "%" PRId64, number);
    put(entry, prefix, key, digits);
}

static void put_field(struct entry *entry, const struct log_field *field)
{
    const char *key = strcmp(field->key, "trace") == 0 ? "request_id" : field->key;

    if (field->is_number)
        put_number(entry, "ATRIUM_", key, field->number);
    else
        put(entry, "ATRIUM_", key, field->text);
}

static void put_context(struct entry *entry, const struct log_record *record)
{
    const struct log_context *context = &record->context;

    put(entry, "ATRIUM_", "trace_id", context->trace_id);
    put(entry, "ATRIUM_", "span_id", context->span_id);
    for (size_t i = 0; i < record->count; i++)
        if (strcmp(record->fields[i].key, "trace") == 0)
            return;
    put(entry, "ATRIUM_", "request_id", context->request_id);
}

int log_journal_send(const struct log_record *record)
{
    struct entry entry = {.size = 2 * LOG_JSON_MAX};
    int result;

    entry.text = malloc(entry.size);
    if (!entry.text)
        return -1;
    put_number(&entry, "", "PRIORITY", record->level);
    put(&entry, "", "SYSLOG_IDENTIFIER", record->program);
    if (part_begin(&entry, "", "MESSAGE"))
        part_end(&entry, log_text_write(record, entry.text + entry.length, LOG_TEXT_MAX));
    put(&entry, "ATRIUM_", "instance", record->instance);
    put(&entry, "ATRIUM_", "topic", record->topic);
    put(&entry, "ATRIUM_", "msg", record->message);
    put_context(&entry, record);
    for (size_t i = 0; i < record->count; i++)
        put_field(&entry, &record->fields[i]);
    result = sd_journal_sendv(entry.parts, entry.count);
    free(entry.text);
    return result < 0 ? -1 : 0;
}

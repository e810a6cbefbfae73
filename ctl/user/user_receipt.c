/*
 * user_receipt.c - `atriumctl user receipt|verify-receipt`: the signed note of an erasure
 * (docs/audit.md).
 */
#include <string.h>

#include "authd/authd_api.h"
#include "authd/trail/trail_api.h"
#include "common/base/clock.h"
#include "common/base/note.h"
#include "common/wire/codec.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/files.h"
#include "ctl/output.h"

enum { WAIT_MS = 10000, POLL_MS = 200 };

static int get(struct ctl *ctl, struct uuid account, struct erasure_receipt *ret, struct error *err)
{
    const struct operator_erasure_in in = {account};
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);

    *ret = (struct erasure_receipt){.complete = false};
    return authd_operator_erasure(ctl->bus->bus, &req, &in, ret, err);
}

static void show_parts(const struct ctl *ctl, const struct field_list *parts)
{
    static const char *const columns[] = {"table", "rows", "bytes", NULL};
    const struct erasure_part *part = parts->items;
    char at[25];

    for (size_t i = 0; i < parts->count; i++) {
        clock_format_iso(part[i].doneAt, at);
        output_note(ctl, "\n%s, %s", part[i].daemon, at);
        output_list(ctl, &erased_table_table, &part[i].erased, columns);
    }
}

static void show(const struct ctl *ctl, struct erasure_receipt *receipt)
{
    struct field_list parts = receipt->parts;

    if (!ctl->json)
        receipt->parts = (struct field_list){NULL, 0};
    output_record(ctl, &erasure_receipt_table, receipt);
    if (ctl->json)
        return;
    show_parts(ctl, &parts);
    for (size_t i = 0; i < receipt->missing.count; i++)
        output_note(ctl,
                    "\n%s has not finished yet and continues in the background: `user receipt %s` "
                    "shows the progress.",
                    receipt->missing.items[i], receipt->account.text);
}

int user_receipt_command(struct ctl *ctl, struct error *err)
{
    struct erasure_receipt receipt;
    struct uuid account;

    if (uuid_parse(arguments_get(&ctl->args, "ID"), &account) < 0)
        return error_set(err, ERR_BAD_REQUEST, "ID: must be the id of an account");
    if (get(ctl, account, &receipt, err) < 0)
        return -1;
    show(ctl, &receipt);
    return 0;
}

int user_receipt_print(struct ctl *ctl, struct uuid account, const char *message, struct error *err)
{
    int64_t until = clock_mono_ms() + WAIT_MS;
    struct erasure_receipt receipt;
    json_auto_t *json = NULL;

    while (get(ctl, account, &receipt, err) == 0 && !receipt.complete && clock_mono_ms() < until)
        if (fiber_sleep_until(ctl->bus->loop, clock_mono_ms() + POLL_MS, err) < 0)
            return -1;
    if (err->code != ERR_NONE)
        return -1;
    if (!ctl->json) {
        output_note(ctl, "%s\n", message);
        show(ctl, &receipt);
        return 0;
    }
    json = json_pack("{s:s, s:o}", "message", message, "receipt",
                     output_json(ctl->arena, &erasure_receipt_table, &receipt));
    output_object(ctl, json);
    return 0;
}

/* Reads the note from a file, or from a file with --json output. */
static const char *read_note(struct ctl *ctl, struct error *err)
{
    const char *text = files_read(ctl->arena, arguments_get(&ctl->args, "FILE"), err);
    const char *note;

    if (!text || text[0] != '{')
        return text;
    json_auto_t *json = codec_parse_json(text, strlen(text), true, err);
    const json_t *receipt = json_object_get(json, "receipt");

    if (!json)
        return NULL;
    note =
        json_string_value(json_is_object(receipt) ? json_object_get(receipt, "receipt") : receipt);
    if (!note)
        error_set(err, ERR_BAD_REQUEST, "the file has no signed receipt");
    return note ? arena_strdup(ctl->arena, note) : NULL;
}

/* Checks the name in the note: the key signs other notes under other names. */
static int parse_statement(struct ctl *ctl, const char *text, const char *key,
                           struct erasure_statement *ret, struct error *err)
{
    size_t name = strcspn(key, "+");
    json_auto_t *json = NULL;

    if (strncmp(text, key, name) == 0 && text[name] == '\n')
        json = codec_parse_json(text + name + 1, strlen(text + name + 1), true, err);
    if (!json)
        return error_set(err, ERR_BAD_REQUEST, "the note is not an erasure receipt");
    return fields_read(&erasure_statement_table, &(struct field_source){.body = json}, ctl->arena,
                       ret, err);
}

int user_verify_receipt_command(struct ctl *ctl, struct error *err)
{
    const char *key = arguments_get(&ctl->args, "--key");
    const char *note = read_note(ctl, err), *text;
    struct erasure_statement statement;
    struct field_list parts;

    if (!note)
        return -1;
    text = note_open(ctl->arena, note, key);
    if (!text)
        return error_set(err, ERR_CONFLICT,
                         "the receipt was altered, or signed with a key other than --key");
    if (parse_statement(ctl, text, key, &statement, err) < 0)
        return -1;
    parts = statement.parts;
    if (!ctl->json)
        statement.parts = (struct field_list){NULL, 0};
    output_record(ctl, &erasure_statement_table, &statement);
    if (!ctl->json)
        show_parts(ctl, &parts);
    return 0;
}

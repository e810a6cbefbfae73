/* audit_leaf.c - see audit_leaf.h. */
#include "common/service/audit_leaf.h"

#include <ctype.h>
#include <endian.h>
#include <stdio.h>

#include "common/service/service_private.h"
#include "common/service/sql/audit.h"
#include "common/wire/codec.h"

enum { TEXT_MAX = 256 };

static const struct field audit_leaves_in_rows[] = {
    FIELD_INT(struct audit_leaves_in, after, 0, INT64_MAX, 0, 0, "Rows behind this one", "0"),
};
FIELD_TABLE(audit_leaves_in);

static const struct field audit_leaves_out_rows[] = {
    FIELD_INT(struct audit_leaves_out, sequence, 0, INT64_MAX, 0, 0, "The page ends here", "1"),
    FIELD_INT(struct audit_leaves_out, end, 0, INT64_MAX, 0, 0, "The chain ends here", "1"),
    FIELD_BYTES(struct audit_leaves_out, leaves, AUDIT_LEAVES_MAX *AUDIT_LEAF_SIZE, 0, "In order"),
};
FIELD_TABLE(audit_leaves_out);

static const struct field audit_rows_in_rows[] = {
    FIELD_UUID(struct audit_rows_in, project, FIELD_REQUIRED, "Of this project"),
    FIELD_INT(struct audit_rows_in, first, 0, INT64_MAX, 0, 0, "From this sequence number on", "1"),
    FIELD_INT(struct audit_rows_in, last, 0, INT64_MAX, 0, 0, "Up to this one", "9"),
    FIELD_INT(struct audit_rows_in, since, INT64_MIN, INT64_MAX, 0, 0, "Written since, ms", "0"),
    FIELD_INT(struct audit_rows_in, until, 0, INT64_MAX, 0, 0, "Written until, ms; 0: any", "0"),
    FIELD_INT(struct audit_rows_in, most, 1, AUDIT_ROWS_MAX, 1, 0, "Rows at most", "100"),
    FIELD_TEXT(struct audit_rows_in, actor, 0, TEXT_MAX, 0, "Who acted", "Practitioner/1"),
    FIELD_TEXT(struct audit_rows_in, actorAccount, 0, TEXT_MAX, 0, "Account of who acted", ""),
    FIELD_TEXT(struct audit_rows_in, action, 0, TEXT_MAX, 0, "What was done", "session.end"),
    FIELD_TEXT(struct audit_rows_in, target, 0, TEXT_MAX, 0, "About what", "Session/1"),
    FIELD_TEXT(struct audit_rows_in, targetAccount, 0, TEXT_MAX, 0, "Account of whom", ""),
    FIELD_TEXT(struct audit_rows_in, targetProfile, 0, TEXT_MAX, 0, "Profile of whom", ""),
    FIELD_TEXT(struct audit_rows_in, account, 0, TEXT_MAX, 0, "By or about whom", ""),
};
FIELD_TABLE(audit_rows_in);

static const struct field audit_rows_out_rows[] = {
    FIELD_OBJECTS(struct audit_rows_out, rows, audit_record, AUDIT_ROWS_MAX, 0, "The last first"),
};
FIELD_TABLE(audit_rows_out);

/* Writes escapes as PostgreSQL's to_json() does: \u001f, not \u001F. */
static void lower_escapes(char *text)
{
    while ((text = strchr(text, '\\'))) {
        for (char *digit = text + 2; text[1] == 'u' && digit < text + 6; digit++)
            *digit = (char)tolower((unsigned char)*digit);
        text += 2;
    }
}

const char *audit_leaf_text(struct arena *arena, const char *daemon,
                            const struct audit_record *record)
{
    json_auto_t *entity = record->entity ? json_string(record->entity) : json_null();
    char *text = codec_dump_json(arena, entity);

    lower_escapes(text);
    return arena_printf(arena,
                        "{\"daemon\":\"%s\",\"sequence\":%lld,\"id\":%lld,\"at\":%lld,"
                        "\"project\":\"%s\",\"entity\":%s,\"event\":%s}",
                        daemon, (long long)record->sequence, (long long)record->id,
                        (long long)record->at, record->project.text, text, record->event);
}

static int64_t get_number(const uint8_t *bytes)
{
    uint64_t big;

    memcpy(&big, bytes, sizeof(big));
    return (int64_t)be64toh(big);
}

void audit_leaf_read(const uint8_t bytes[static AUDIT_LEAF_SIZE], struct audit_leaf *ret)
{
    uuid_from_bytes(bytes, &ret->project);
    ret->sequence = get_number(bytes + 16);
    ret->at = get_number(bytes + 24);
    memcpy(ret->hash.bytes, bytes + 32, sizeof(ret->hash.bytes));
}

/* Reads the chain's end first, so that all rows before it are visible. */
int audit_leaves(struct service *self, const struct request *req, const struct audit_leaves_in *in,
                 struct audit_leaves_out *out, struct error *err)
{
    struct sql_audit_leaves_row row = {.leaves = {NULL, 0}};

    if (!self->audit)
        return 0;
    if (audit_chain_end(self->audit, req, &out->end, err) < 0)
        return -1;
    out->sequence = MAX(in->after, MIN(out->end, in->after + AUDIT_LEAVES_MAX));
    if (out->sequence > in->after &&
        sql_audit_leaves(self->db, req,
                         &(struct sql_audit_leaves_in){.daemon = self->definition->name,
                                                       .after = in->after,
                                                       .last = out->sequence},
                         &row, err) < 0)
        return -1;
    out->leaves = row.leaves;
    return 0;
}

int audit_rows(struct service *self, const struct request *req, const struct audit_rows_in *in,
               struct audit_rows_out *out, struct error *err)
{
    const struct sql_audit_rows_in which = {.project = in->project,
                                            .first = in->first,
                                            .last = in->last,
                                            .since = in->since,
                                            .until = in->until > 0 ? in->until : INT64_MAX,
                                            .actor = in->actor,
                                            .actor_account = in->actorAccount,
                                            .action = in->action,
                                            .target = in->target,
                                            .target_account = in->targetAccount,
                                            .target_profile = in->targetProfile,
                                            .account = in->account,
                                            .most = in->most};

    if (!self->audit)
        return 0;
    return sql_audit_rows(self->db, req, &which, &out->rows, err) < 0 ? -1 : 0;
}

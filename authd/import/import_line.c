/*
 * import_line.c - see import_line.h.
 */
#include "authd/import/import_line.h"

#include <ctype.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/domain/password_scheme.h"
#include "common/wire/codec.h"

enum { WHY_MAX = 1000, KEY_SHOWN_MAX = 64, EMAIL_SHOWN_MAX = 254 };

void import_refuse(struct import_account *self, bool existing, const char *why)
{
    if (self->why)
        return;
    self->existing = existing;
    self->why = existing ? IMPORT_EXISTING : why;
}

/* ---- keys ---- */

/* Returns a key that error messages can show: a plain word. */
static const char *shown_key(const char *key)
{
    size_t size = strlen(key);

    return size > 0 && size <= KEY_SHOWN_MAX &&
                   strspn(key,
                          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.$") ==
                       size
               ? key
               : "a key";
}

static const char *find_unknown(struct arena *arena, json_t *object,
                                const struct field_table *table);

static const char *find_unknown_below(struct arena *arena, const json_t *value,
                                      const struct field *row)
{
    const char *wrong = NULL;
    json_t *item;
    size_t i;

    if (row->type == FIELD_TYPE_OBJECT && json_is_object(value))
        wrong = find_unknown(arena, (json_t *)(uintptr_t)value, row->table);
    if (row->type == FIELD_TYPE_OBJECTS && json_is_array(value)) {
        json_array_foreach(value, i, item)
        {
            if (!wrong && json_is_object(item))
                wrong = find_unknown(arena, item, row->table);
        }
    }
    return wrong ? arena_printf(arena, "%s.%s", row->name, wrong) : NULL;
}

/* Returns the path of the first unknown key, or NULL. */
static const char *find_unknown(struct arena *arena, json_t *object,
                                const struct field_table *table)
{
    const char *key, *wrong = NULL;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        const struct field *row = fields_find(table, key);

        if (!wrong)
            wrong = row ? find_unknown_below(arena, value, row) : shown_key(key);
    }
    return wrong;
}

/* ---- one line ---- */

/* Joins as many problems as fit. */
static const char *problems_text(struct arena *arena, const struct error *err)
{
    char text[WHY_MAX] = "";
    size_t used = 0;

    for (const struct error_item *item = err->problems; item; item = item->next) {
        size_t size = strlen(item->name) + strlen(item->value) + 3;

        if (used + size >= sizeof(text))
            break;
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s", used > 0 ? "; " : "",
                                 item->name, item->value);
    }
    return arena_strdup(arena, used > 0 ? text : "is not an account");
}

static const char *check_hash(struct arena *arena, const char *hash)
{
    struct password_scheme scheme;
    const char *wrong;

    if (!hash || password_scheme_parse(hash, &scheme, &wrong) == 0)
        return NULL;
    return arena_printf(arena, "passwordHash %s", wrong);
}

static const char *read_totp(const struct import_batch *self, struct import_account *to)
{
    if (!to->in.totp)
        return NULL;
    if (!self->rules.verified)
        return "totp is taken by an operator's import of verified addresses alone";
    to->totp_size = totp_decode(to->in.totp->secret, to->totp);
    return to->totp_size > 0 ? NULL : "totp.secret must be base32 of 10 to 64 bytes";
}

static const char *read_key(const char *rp_id, const struct import_passkey *in,
                            struct import_key *ret)
{
    uint8_t id[WEBAUTHN_CREDENTIAL_ID_MAX], key[WEBAUTHN_AUTH_DATA_MAX];
    size_t id_size, key_size;

    ret->in = in;
    if (!rp_id || strcmp(in->rpId, rp_id) != 0)
        return "rpId must be that of the project's application for the role";
    if (secret_decode(in->userHandle, ret->handle, sizeof(ret->handle), &ret->handle_size) < 0 ||
        ret->handle_size == 0)
        return "userHandle must be 1 to 64 bytes in base64url without padding";
    if (secret_decode(in->credentialId, id, sizeof(id), &id_size) < 0)
        return "credentialId must be 1 to 1023 bytes in base64url without padding";
    if (secret_decode(in->publicKey, key, sizeof(key), &key_size) < 0 ||
        webauthn_read_credential((struct field_bytes){id, id_size},
                                 (struct field_bytes){key, key_size}, &ret->credential))
        return "publicKey must be a COSE key of ES256, EdDSA or RS256";
    return NULL;
}

static const char *read_keys(const struct import_batch *self, struct import_account *to)
{
    const struct import_passkey *items = to->in.passkeys.items;
    const char *rp_id = to->patient ? self->rules.patient_rp_id : self->rules.practitioner_rp_id;

    if (to->in.passkeys.count == 0)
        return NULL;
    if (!self->rules.verified)
        return "passkeys are taken by an operator's import of verified addresses alone";
    to->key_count = to->in.passkeys.count;
    to->keys = arena_calloc(self->arena, to->key_count, sizeof(*to->keys));
    for (size_t i = 0; i < to->key_count; i++) {
        const char *wrong = read_key(rp_id, &items[i], &to->keys[i]);

        if (wrong)
            return arena_printf(self->arena, "passkeys.%zu.%s", i, wrong);
    }
    return NULL;
}

/* Checks what the field table can't. */
static const char *check_account(const struct import_batch *self, struct import_account *to)
{
    const struct import_rules *rules = &self->rules;
    bool invited = rules->invites && !to->patient;
    const char *wrong;

    if (!(to->patient ? rules->patient_policy : rules->practitioner_policy))
        return "role needs a default access policy, which the project does not have";
    if (to->in.createdAt < 0 || to->in.createdAt > rules->now_ms)
        return "createdAt must be between 1970 and now";
    if (invited)
        return NULL;
    wrong = check_hash(self->arena, to->in.passwordHash);
    if (!wrong)
        wrong = read_totp(self, to);
    return wrong ? wrong : read_keys(self, to);
}

static const char *shown_email(const struct import_batch *self, const json_t *object)
{
    const char *email = json_string_value(json_object_get(object, "email"));

    return email && *email && strlen(email) <= EMAIL_SHOWN_MAX ? arena_strdup(self->arena, email)
                                                               : NULL;
}

static const char *read_account(struct import_batch *self, json_t *object,
                                struct import_account *to)
{
    const struct field_source source = {.body = object};
    const char *unknown;
    struct error err;

    if (!json_is_object(object))
        return "is not a JSON object";
    to->email = shown_email(self, object);
    unknown = find_unknown(self->arena, object, &import_line_table);
    if (unknown)
        return arena_printf(self->arena, "%s is not a known key", unknown);
    error_init(&err, self->arena);
    if (fields_read(&import_line_table, &source, self->arena, &to->in, &err) < 0)
        return problems_text(self->arena, &err);
    to->email = to->in.email;
    to->patient = !to->in.role || to->in.role == ROLE_PATIENT;
    return check_account(self, to);
}

/* Returns NULL if the batch is full. */
static struct import_account *add(struct import_batch *self, int64_t line)
{
    struct import_account *to = &self->items[self->count];

    self->over = self->over || self->count == IMPORT_LINES_MAX;
    if (self->over)
        return NULL;
    self->count++;
    to->line = line;
    return to;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct import_account *x = *(struct import_account *const *)a,
                                *y = *(struct import_account *const *)b;
    int order = x->patient != y->patient ? x->patient - y->patient : strcmp(x->email, y->email);

    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

/* Assigns ascending ids in the order of addresses, so that a batch appends to the ids' indexes. */
static void give_ids(struct import_batch *self)
{
    self->order_count = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (!self->items[i].why)
            self->order[self->order_count++] = &self->items[i];
    }
    qsort(self->order, self->order_count, sizeof(self->order[0]), compare_addresses);
    for (size_t i = 0; i < self->order_count; i++) {
        struct import_account *account = self->order[i];

        account->id = uuid_pool_ordered(&self->ids, self->rules.now_ms);
        account->membership = uuid_pool_ordered(&self->ids, self->rules.now_ms);
        account->profile = uuid_pool_random(&self->ids);
    }
}

/* ---- batches ---- */

static bool is_blank(const char *text, size_t size)
{
    while (size > 0 && isspace((unsigned char)text[size - 1]))
        size--;
    return size == 0;
}

static void read_line(struct import_batch *self, const char *text, size_t size, int64_t line)
{
    struct import_account *to = add(self, line);
    struct error err;
    json_t *object;

    if (!to)
        return;
    if (size > IMPORT_LINE_MAX) {
        to->why = "is longer than 64 KiB";
        return;
    }
    error_init(&err, self->arena);
    object = codec_parse_exact(text, size, false, &err);
    if (object)
        to->why = read_account(self, object, to);
    else
        to->why = arena_strdup(self->arena, err.message);
    json_decref(object);
}

void import_read_lines(struct import_batch *self, struct field_bytes text, int64_t first_line)
{
    const char *at = (const char *)text.bytes, *end = at + text.size;

    for (int64_t line = first_line; at < end && !self->over; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((stop ? stop : end) - at);

        if (!is_blank(at, size))
            read_line(self, at, size, line);
        at += size + 1;
    }
    give_ids(self);
}

bool import_read_array(struct import_batch *self, const char *json)
{
    json_t *array, *item;
    struct error err;
    bool is_array;
    size_t i;

    error_init(&err, self->arena);
    array = codec_parse_exact(json, strlen(json), false, &err);
    is_array = json_is_array(array);
    json_array_foreach(array, i, item)
    {
        struct import_account *to = add(self, (int64_t)i + 1);

        if (to)
            to->why = read_account(self, item, to);
    }
    json_decref(array);
    give_ids(self);
    return is_array;
}

struct import_account *import_find(struct import_batch *self, int64_t line)
{
    size_t low = 0, high = self->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (self->items[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->count && self->items[low].line == line ? &self->items[low] : NULL;
}

static bool is_good(const struct import_account *account)
{
    return !account->why && !account->invited;
}

size_t import_good(const struct import_batch *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++)
        count += is_good(&self->items[i]);
    return count;
}

struct field_list import_refusals(const struct import_batch *self)
{
    struct import_refusal *items = arena_calloc(self->arena, self->count, sizeof(*items));
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++) {
        const struct import_account *from = &self->items[i];

        if (from->why)
            items[count++] = (struct import_refusal){.line = from->line,
                                                     .email = from->email,
                                                     .existing = from->existing,
                                                     .why = from->why};
    }
    return (struct field_list){items, count};
}

/* ---- parameters ---- */

static json_t *hex(const void *bytes, size_t size)
{
    char text[2 * WEBAUTHN_CREDENTIAL_ID_MAX + 1];

    return json_string(sodium_bin2hex(text, sizeof(text), bytes, size));
}

static json_t *passkey_row_of(const struct import_account *from, const struct import_key *key)
{
    const struct webauthn_credential *made = &key->credential;
    struct uuid id = uuid_random();

    return json_pack("{s:I, s:s, s:s, s:o, s:o, s:i, s:o, s:I, s:b, s:s}", "line",
                     (json_int_t)from->line, "id", id.text, "rp_id", key->in->rpId, "credential",
                     hex(made->id, made->id_size), "handle", hex(key->handle, key->handle_size),
                     "algorithm", (int)made->algorithm, "key", hex(made->key, made->key_size),
                     "count", (json_int_t)key->in->signCount, "backed_up", key->in->backedUp,
                     "name", key->in->name ? key->in->name : "Passkey");
}

static const char *dump(const struct import_batch *self, json_t *array)
{
    const char *text = codec_dump_json(self->arena, array);

    json_decref(array);
    return text;
}

/* An array for each column. */
struct texts {
    const char **roles, **emails, **names, **surnames, **hashes, **totps;
};

static const char *totp_text(const struct import_batch *self, const struct import_account *from)
{
    const struct sealed *sealed = &from->totp_sealed;
    size_t size = 2 * sealed->size + 1;

    if (from->totp_size == 0)
        return NULL;
    return arena_printf(self->arena, "\\x%s",
                        sodium_bin2hex(arena_alloc(self->arena, size), size, sealed->bytes,
                                       sealed->size));
}

static void add_row(const struct import_batch *self, const struct import_account *from,
                    struct import_rows *rows, const struct texts *texts, size_t i)
{
    const struct import_line *in = &from->in;

    db_array_add_int(&rows->lines, from->line);
    db_array_add(&rows->ids, from->id.text);
    db_array_add(&rows->memberships, from->membership.text);
    db_array_add(&rows->profiles, from->profile.text);
    db_array_add_int(&rows->created, in->createdAt > 0 ? in->createdAt : self->rules.now_ms);
    texts->roles[i] = role_text(from->patient ? ROLE_PATIENT : ROLE_PRACTITIONER);
    texts->emails[i] = in->email;
    texts->names[i] = in->firstName;
    texts->surnames[i] = in->lastName;
    texts->hashes[i] = in->passwordHash ? in->passwordHash : self->hash;
    texts->totps[i] = totp_text(self, from);
}

struct import_rows import_rows(const struct import_batch *self)
{
    struct arena *arena = self->arena;
    size_t good = import_good(self), count = 0, id = sizeof(struct uuid);
    struct import_rows rows = {.lines = db_array_new(arena, good, DB_ARRAY_INT),
                               .ids = db_array_new(arena, good, id),
                               .memberships = db_array_new(arena, good, id),
                               .profiles = db_array_new(arena, good, id),
                               .created = db_array_new(arena, good, DB_ARRAY_INT)};
    const char **all = arena_calloc(arena, 6 * good, sizeof(*all));
    struct texts texts = {all,           all + good, all + 2 * good, all + 3 * good, all + 4 * good,
                          all + 5 * good};

    for (size_t i = 0; i < self->order_count; i++) {
        if (is_good(self->order[i]))
            add_row(self, self->order[i], &rows, &texts, count++);
    }
    rows.roles = db_array_texts(arena, texts.roles, good);
    rows.emails = db_array_texts(arena, texts.emails, good);
    rows.names = db_array_texts(arena, texts.names, good);
    rows.surnames = db_array_texts(arena, texts.surnames, good);
    rows.hashes = db_array_texts(arena, texts.hashes, good);
    rows.totps = db_array_texts(arena, texts.totps, good);
    return rows;
}

const char *import_passkey_rows(const struct import_batch *self)
{
    json_t *array = json_array();

    for (size_t i = 0; i < self->count; i++) {
        const struct import_account *from = &self->items[i];

        for (size_t k = 0; k < from->key_count && is_good(from); k++)
            json_array_append_new(array, passkey_row_of(from, &from->keys[k]));
    }
    return dump(self, array);
}

const char *import_refusal_rows(const struct import_batch *self)
{
    json_t *array = json_array();

    for (size_t i = 0; i < self->count; i++) {
        const struct import_account *from = &self->items[i];

        if (from->why)
            json_array_append_new(array,
                                  json_pack("{s:I, s:b, s:s}", "line", (json_int_t)from->line,
                                            "existing", from->existing, "why", from->why));
    }
    return dump(self, array);
}

static void add_address(const struct import_account *from, uint8_t *to)
{
    const char *role = role_text(from->patient ? ROLE_PATIENT : ROLE_PRACTITIONER);
    uint8_t hash[crypto_generichash_BYTES];
    crypto_generichash_state state;

    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)((uint64_t)from->line >> (8 * (7 - i)));
    crypto_generichash_init(&state, NULL, 0, sizeof(hash));
    crypto_generichash_update(&state, (const uint8_t *)role, strlen(role) + 1);
    crypto_generichash_update(&state, (const uint8_t *)from->email, strlen(from->email));
    crypto_generichash_final(&state, hash, sizeof(hash));
    memcpy(to + 8, hash, IMPORT_ADDRESS_SIZE - 8);
}

struct field_bytes import_addresses(const struct import_batch *self)
{
    uint8_t *bytes = arena_alloc(self->arena, self->count * IMPORT_ADDRESS_SIZE);
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++) {
        if (!self->items[i].why)
            add_address(&self->items[i], bytes + IMPORT_ADDRESS_SIZE * count++);
    }
    return (struct field_bytes){bytes, count * IMPORT_ADDRESS_SIZE};
}

void import_batch_wipe(struct import_batch **self_p)
{
    struct import_batch *self = *self_p;

    for (size_t i = 0; self && i < self->count; i++) {
        sodium_memzero(self->items[i].totp, sizeof(self->items[i].totp));
        if (self->items[i].in.totp)
            secret_wipe_text(self->items[i].in.totp->secret);
    }
}

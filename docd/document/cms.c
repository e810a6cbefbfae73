/*
 * cms.c - mapped content: entries of some type, each in any number of languages, side by side with
 * the project's default language.
 *
 * How they are searched is in schema/0009_content_search.sql.
 */
#include <string.h>

#include "common/domain/language.h"
#include "common/wire/codec.h"
#include "docd/docd.h"
#include "settingsd/settingsd_api.h"

static const char content_type[] = "Content"; /* as policies and the audit trail call it */

static int not_found(struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "Content not found.");
}

/* ---- JSON, as rows are stored and CONTENT_GIVEN reads them ---- */

static json_t *sections_json(const struct field_list *list)
{
    const struct cms_section *sections = list->items;
    json_t *json = json_array();

    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(json, json_pack("{s:s*, s:s}", "title", sections[i].title, "text",
                                              sections[i].text));
    return json;
}

static json_t *entry_json(struct arena *arena, const struct cms_entry *entry)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s*, s:s*}", "type", entry->type, "key",
                     entry->key, "language", language_tag(arena, entry->language), "title",
                     entry->title, "sections", sections_json(&entry->sections), "author",
                     entry->author, "code", entry->code);
}

static struct field_list sections_read(struct arena *arena, const char *text)
{
    json_auto_t *json = json_loads(text, 0, NULL);
    struct cms_section *sections = arena_calloc(arena, json_array_size(json), sizeof(*sections));

    for (size_t i = 0; i < json_array_size(json); i++) {
        const json_t *section = json_array_get(json, i);

        sections[i].title =
            arena_strdup(arena, json_string_value(json_object_get(section, "title")));
        sections[i].text = arena_strdup(arena, json_string_value(json_object_get(section, "text")));
    }
    return (struct field_list){sections, json_array_size(json)};
}

/* ---- writing ---- */

/* Drops words that no translation has any more; `gone` is null when there are none. */
static int remove_words(struct db_tx *tx, struct uuid project, const struct db_result *counted,
                        int gone, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_is_null(counted, 0, gone))
        return 0;
    return db_tx_query(tx, SQL_CONTENT_WORDS_GONE, &res, err, DB_UUID(project),
                       DB_TEXT(db_text(counted, 0, gone)));
}

/* Stores what is new or different of the entries (JSON array), all or none. */
static int write_entries(struct docd *d, const struct request *req, struct uuid project,
                         const json_t *entries, int64_t *ret_changed, int64_t *ret_updated,
                         struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(db_result_destroy) struct db_result *locked = NULL, *put = NULL;
    const char *json = codec_dump_json(req->arena, entries);
    struct sql_audit audit =
        audit_row(req, &(struct audit){.action = "content.write", .project = project});

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        db_tx_query(tx, SQL_CONTENT_LOCK, &locked, err, DB_UUID(project), DB_TEXT(json)) < 0 ||
        db_tx_query(tx, SQL_CONTENT_PUT, &put, err, DB_UUID(project), DB_TEXT(json),
                    DB_INT(req->now_ms), DB_AUDIT(audit)) < 0 ||
        remove_words(tx, project, put, 2, err) < 0)
        return -1;
    *ret_changed = db_int(put, 0, 0);
    *ret_updated = db_int(put, 0, 1);
    return db_commit(&tx, err);
}

static int remove_entry(struct docd *d, const struct request *req, const struct cms_in *in,
                        const char *language, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(db_result_destroy) struct db_result *locked = NULL, *removed = NULL;
    const struct uuid project = req->caller->project;
    struct sql_audit audit = audit_row(req, &(struct audit){.action = "content.delete"});

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        db_tx_query(tx, SQL_CONTENT_LOCK_ONE, &locked, err, DB_UUID(project), DB_TEXT(in->type),
                    DB_TEXT(in->key)) < 0)
        return -1;
    /* It may have gone while we waited for it. One that was made anew since then is not locked, and
     * not meant. */
    if (db_rows(locked) == 0)
        return not_found(err);
    if (db_tx_query(tx, SQL_CONTENT_DELETE, &removed, err, DB_UUID(project), DB_TEXT(in->type),
                    DB_TEXT(in->key), DB_TEXT(language), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(removed) == 0)
        return not_found(err);
    if (remove_words(tx, project, removed, 1, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* ---- searching ---- */

struct map_query {
    const struct cms_map_in *in;
    const char *source, *target; /* languages */
};

static bool is_given(const char *text)
{
    return text && text[0];
}

static int search(struct docd *d, const struct request *req, const struct map_query *q,
                  struct db_result **ret, struct error *err)
{
    const struct cms_map_in *in = q->in;
    const char *code = is_given(in->code) ? in->code : NULL;

#define QUERY(statement, ...)                                                               \
    db_query(d->svc.db, req, statement, ret, err, DB_UUID(req->caller->project),            \
             DB_TEXT(in->type), DB_TEXT(q->source), DB_TEXT(q->target), DB_INT(in->_count), \
             DB_INT(in->_offset), ##__VA_ARGS__)

    if (is_given(in->search))
        return QUERY(SQL_CONTENT_SEARCH, DB_TEXT(in->search), DB_TEXT(code));
    if (code)
        return QUERY(SQL_CONTENT_MAP_OF_CODE, DB_TEXT(code));
    return QUERY(SQL_CONTENT_MAP);
#undef QUERY
}

/* NULL when the entry is not there in that language. */
static const struct cms_side *side(struct arena *arena, const struct db_result *res, size_t row,
                                   int title, const char *language)
{
    struct cms_side *made = arena_alloc(arena, sizeof(*made));

    if (db_is_null(res, row, title))
        return NULL;
    *made = (struct cms_side){arena_strdup(arena, db_text(res, row, title)), language,
                              arena_strdup(arena, db_text(res, row, 1))};
    return made;
}

/* ---- handlers ---- */

/* Fails: FORBIDDEN (the caller's policy does not let it read content). */
int cms_map(struct docd *d, const struct request *req, const struct cms_map_in *in,
            struct cms_map *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct tenant_lookup_in project = {.projectId = req->caller->project};
    struct tenant tenant = {0};
    struct map_query query = {.in = in, .target = language_tag(req->arena, in->language)};
    struct cms_pair *pairs;

    if (policy_check(req, content_type, POLICY_READ, err) < 0 ||
        settingsd_tenant_lookup(d->svc.bus, req, &project, &tenant, err) < 0)
        return -1;
    query.source = tenant.defaultLanguage;
    if (search(d, req, &query, &res, err) < 0)
        return -1;
    out->total = db_int(res, 0, 0);
    if (db_is_null(res, 0, 1))
        return 0;
    pairs = arena_calloc(req->arena, db_rows(res), sizeof(*pairs));
    for (size_t i = 0; i < db_rows(res); i++) {
        pairs[i].source = side(req->arena, res, i, 2, query.source);
        pairs[i].target = side(req->arena, res, i, 3, query.target);
    }
    out->resources = (struct field_list){pairs, db_rows(res)};
    return 0;
}

/* Fails: FORBIDDEN, NOT_FOUND. */
int cms_get(struct docd *d, const struct request *req, const struct cms_in *in,
            struct cms_entry *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (policy_check(req, content_type, POLICY_READ, err) < 0 ||
        db_query(d->svc.db, req, SQL_CONTENT_GET, &res, err, DB_UUID(req->caller->project),
                 DB_TEXT(in->type), DB_TEXT(in->key),
                 DB_TEXT(language_tag(req->arena, in->language))) < 0)
        return -1;
    if (db_rows(res) == 0)
        return not_found(err);
    db_row(res, 0, &cms_entry_table, req->arena, out);
    out->sections = sections_read(req->arena, db_text(res, 0, 7));
    return 0;
}

/* Makes the entry in that language, or puts this in its place. */
int cms_put(struct docd *d, const struct request *req, const struct cms_put_in *in,
            struct cms_entry *out, struct error *err)
{
    json_auto_t *json = json_array();
    int64_t changed;

    *out = (struct cms_entry){.type = in->type,
                              .key = in->key,
                              .language = language_tag(req->arena, in->language),
                              .title = in->title,
                              .sections = in->sections,
                              .author = in->author,
                              .code = in->code};
    json_array_append_new(json, entry_json(req->arena, out));
    return write_entries(d, req, req->caller->project, json, &changed, &out->lastUpdated, err);
}

/* Fails: NOT_FOUND. */
int cms_delete(struct docd *d, const struct request *req, const struct cms_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    return remove_entry(d, req, in, language_tag(req->arena, in->language), err);
}

/* ---- between daemons ---- */

/* Whether a later entry takes the place of entry `at`. */
static bool is_overtaken(const struct cms_entry *entries, size_t count, size_t at)
{
    for (size_t i = at + 1; i < count; i++) {
        if (strcmp(entries[at].type, entries[i].type) == 0 &&
            strcmp(entries[at].key, entries[i].key) == 0 &&
            strcasecmp(entries[at].language, entries[i].language) == 0)
            return true;
    }
    return false;
}

/* Of entries that are the same the last one counts. */
int cms_import(struct docd *d, const struct request *req, const struct cms_import_in *in,
               struct cms_imported *out, struct error *err)
{
    const struct cms_entry *entries = in->entries.items;
    json_auto_t *json = json_array();
    int64_t updated;

    for (size_t i = 0; i < in->entries.count; i++) {
        if (!is_overtaken(entries, in->entries.count, i))
            json_array_append_new(json, entry_json(req->arena, &entries[i]));
    }
    out->entries = (int64_t)in->entries.count;
    return in->entries.count == 0
               ? 0
               : write_entries(d, req, in->projectId, json, &out->changed, &updated, err);
}

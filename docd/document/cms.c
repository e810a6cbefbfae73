/*
 * cms.c - content entries, by type, key and language. For the search, see
 * schema/0121_content_folded.sql and content_words.h.
 */
#include <string.h>

#include "common/domain/content.h"
#include "common/domain/etag.h"
#include "common/domain/language.h"
#include "common/domain/list_limit.h"
#include "common/wire/codec.h"
#include "docd/docd.h"
#include "docd/document/content_words.h"
#include "docd/sql/content.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

static const char content_type[] = "Content";

/* Far more than a tenant has, but quick to count. */
static const struct list_limit content_limit = {
    500000, 4LL << 30, "The project has 500,000 entries of content already.",
    "The project's content has at most 4 GiB together."};

struct content_titles {
    int64_t total;
    const char *key;
    const char *source, *target;
    const char *languages; /* JSON */
};
FIELD_DECLARE(content_titles);

static const struct field content_titles_rows[] = {
    FIELD_INT(struct content_titles, total, 0, 0, 0, FIELD_REQUIRED, "Of all pages", "1"),
    FIELD_TEXT(struct content_titles, key, 0, 0, 0, "The key", "welcome"),
    FIELD_TEXT(struct content_titles, source, 0, 0, 0, "In the default language", "Welcome"),
    FIELD_TEXT(struct content_titles, target, 0, 0, 0, "In the other language", "Willkommen"),
    FIELD_TEXT(struct content_titles, languages, 0, 0, 0, "All, as JSON", "[]"),
};
FIELD_TABLE(content_titles);

static int require_entry(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Content not found.");
}

/* ---- JSON, as stored in rows ---- */

static json_t *sections_json(const struct field_list *list)
{
    const struct cms_section *sections = list->items;
    json_t *json = json_array();

    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(json, json_pack("{s:s*, s:s}", "title", sections[i].title, "text",
                                              sections[i].text));
    return json;
}

static json_t *entry_json(const struct request *req, const struct cms_entry *entry)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s*, s:s*, s:s}", "type", entry->type, "key",
                     entry->key, "language", language_tag(req->arena, entry->language), "title",
                     entry->title, "sections", sections_json(&entry->sections), "author",
                     entry->author, "code", entry->code, "words",
                     content_words(req->arena, entry, req->now_ms));
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

/* Checks If-Match and If-None-Match. The caller has locked the key, which exists before its first
 * entry. */
static int require_state(struct db_tx *tx, const struct request *req, const struct cms_put_in *in,
                         struct error *err)
{
    const struct sql_content_get_in get = {.project = req->caller->project,
                                           .type = in->type,
                                           .key = in->key,
                                           .language = language_tag(req->arena, in->language)};
    struct sql_content_get_row row;
    int rows;

    if (!in->ifMatch && !in->ifNoneMatch)
        return 0;
    rows = sql_content_get_tx(tx, req, &get, &row, err);
    if (rows < 0)
        return -1;
    return etag_check(in->ifMatch, in->ifNoneMatch, rows > 0 ? row.entry->etag : NULL, "entry",
                      err);
}

/* Runs after the write, which locks the project's totals until commit. */
static int check_limit(struct db_tx *tx, const struct request *req, struct uuid project,
                       const struct sql_content_write_row *written, struct error *err)
{
    const struct sql_content_usage_get_in get = {.project = project};
    struct list_size before, after = {0};

    if (sql_content_usage_get(tx, req, &get, &after, err) < 0)
        return -1;
    before =
        (struct list_size){after.rows - written->more_entries, after.bytes - written->more_bytes};
    return list_limit_check(&content_limit, &before, &after, err);
}

/* Stores new and changed entries (JSON array), all or none; `only` is one of a PUT. */
static int write_entries(struct docd *d, const struct request *req, struct uuid project,
                         const json_t *entries, const struct cms_put_in *only,
                         struct sql_content_write_row *ret, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const char *json = codec_dump_json(req->arena, entries);
    const struct sql_content_lock_in lock = {.project = project, .entries = json};
    const struct sql_content_write_in write = {
        .project = project,
        .entries = json,
        .touch = only && only->reviewed,
        .now = req->now_ms,
        .audit = audit_row(req, &(struct audit){.action = "content.write", .project = project})};

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_content_lock(tx, req, &lock, err) < 0 ||
        (only && require_state(tx, req, only, err) < 0) ||
        sql_content_write(tx, req, &write, ret, err) < 0 ||
        check_limit(tx, req, project, ret, err) < 0 ||
        content_word_remove(tx, req, project, ret->unused, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

static int remove_entry(struct docd *d, const struct request *req, const struct cms_in *in,
                        const char *language, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct uuid project = req->caller->project;
    const struct sql_content_lock_key_in lock = {
        .project = project, .type = in->type, .key = in->key};
    const struct sql_content_delete_in delete = {
        .project = project,
        .type = in->type,
        .key = in->key,
        .language = language,
        .audit = audit_row(req, &(struct audit){.action = "content.delete"})};
    struct sql_content_delete_row deleted;

    /* If the key is deleted and added again while this waits for its lock, no row is found: the new
     * entry is a different one. */
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        require_entry(sql_content_lock_key(tx, req, &lock, err), err) < 0 ||
        require_entry(sql_content_delete(tx, req, &delete, &deleted, err), err) < 0 ||
        content_word_remove(tx, req, project, deleted.unused, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* ---- searching ---- */

static bool is_given(const char *text)
{
    return text && text[0];
}

static int search(struct docd *d, const struct request *req, const struct cms_map_in *in,
                  const struct sql_content_titles *where, struct field_list *ret, struct error *err)
{
    const char *code = is_given(in->code) ? in->code : NULL;
    const struct sql_content_list_in all = {.todo = in->translation,
                                            .count = in->_count,
                                            .offset = in->_offset,
                                            .content_titles = *where};
    const struct sql_content_list_by_code_in of_code = {.code = code,
                                                        .todo = in->translation,
                                                        .count = in->_count,
                                                        .offset = in->_offset,
                                                        .content_titles = *where};
    struct sql_content_search_in found = {.search = in->search,
                                          .code = code,
                                          .todo = in->translation,
                                          .count = in->_count,
                                          .offset = in->_offset,
                                          .content_titles = *where};
    int rows;

    if (is_given(in->search)) {
        found.wanted = content_wanted(req->arena, in->search);
        rows = sql_content_search(d->svc.db, req, &found, ret, err);
    } else {
        rows = code ? sql_content_list_by_code(d->svc.db, req, &of_code, ret, err)
                    : sql_content_list(d->svc.db, req, &all, ret, err);
    }
    return rows < 0 ? -1 : 0;
}

static const struct cms_side *side(struct arena *arena, const char *key, const char *title,
                                   const char *language)
{
    const struct cms_side side = {title, language, key};

    return title ? arena_memdup(arena, &side, sizeof(side)) : NULL;
}

static struct field_list languages_read(struct arena *arena, const char *text)
{
    json_auto_t *json = json_loads(text, 0, NULL);
    struct cms_version *versions = arena_calloc(arena, json_array_size(json), sizeof(*versions));

    for (size_t i = 0; i < json_array_size(json); i++) {
        const json_t *each = json_array_get(json, i);

        versions[i] = (struct cms_version){
            arena_strdup(arena, json_string_value(json_object_get(each, "language"))),
            json_integer_value(json_object_get(each, "lastUpdated"))};
    }
    return (struct field_list){versions, json_array_size(json)};
}

/* ---- handlers ---- */

int cms_map(struct docd *d, const struct request *req, const struct cms_map_in *in,
            struct cms_map *out, struct error *err)
{
    struct tenant_lookup_in project = {.projectId = req->caller->project};
    struct sql_content_titles where = {.project = req->caller->project,
                                       .type = in->type,
                                       .target = language_tag(req->arena, in->language)};
    const struct content_titles *rows;
    struct tenant tenant = {0};
    struct field_list page;
    struct cms_pair *pairs;

    if (policy_check(req, content_type, POLICY_READ, err) < 0 ||
        settingsd_tenant_lookup(d->svc.bus, req, &project, &tenant, err) < 0)
        return -1;
    where.source = tenant.defaultLanguage;
    if (search(d, req, in, &where, &page, err) < 0)
        return -1;
    rows = page.items;
    out->total = rows[0].total;
    if (!rows[0].key)
        return 0;
    pairs = arena_calloc(req->arena, page.count, sizeof(*pairs));
    for (size_t i = 0; i < page.count; i++) {
        pairs[i].source = side(req->arena, rows[i].key, rows[i].source, where.source);
        pairs[i].target = side(req->arena, rows[i].key, rows[i].target, where.target);
        pairs[i].languages = languages_read(req->arena, rows[i].languages);
    }
    out->resources = (struct field_list){pairs, page.count};
    return 0;
}

int cms_get(struct docd *d, const struct request *req, const struct cms_in *in,
            struct cms_entry *out, struct error *err)
{
    const struct sql_content_get_in get = {.project = req->caller->project,
                                           .type = in->type,
                                           .key = in->key,
                                           .language = language_tag(req->arena, in->language)};
    struct sql_content_get_row row;

    if (policy_check(req, content_type, POLICY_READ, err) < 0 ||
        require_entry(sql_content_get(d->svc.db, req, &get, &row, err), err) < 0)
        return -1;
    *out = *row.entry;
    out->sections = sections_read(req->arena, row.sections_json);
    return 0;
}

int cms_put(struct docd *d, const struct request *req, const struct cms_put_in *in,
            struct cms_entry *out, struct error *err)
{
    json_auto_t *json = json_array();
    struct sql_content_write_row written;

    *out = (struct cms_entry){.type = in->type,
                              .key = in->key,
                              .language = language_tag(req->arena, in->language),
                              .title = in->title,
                              .sections = in->sections,
                              .author = in->author,
                              .code = in->code};
    json_array_append_new(json, entry_json(req, out));
    if (write_entries(d, req, req->caller->project, json, in, &written, err) < 0)
        return -1;
    out->lastUpdated = written.updated_at;
    out->etag = written.etag;
    return 0;
}

int cms_delete(struct docd *d, const struct request *req, const struct cms_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    return remove_entry(d, req, in, language_tag(req->arena, in->language), err);
}

/* ---- drafts ---- */

static int require_draft(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Draft not found.");
}

int cms_drafts(struct docd *d, const struct request *req, const struct cms_drafts_in *in,
               struct cms_drafts *out, struct error *err)
{
    const struct sql_content_draft_list_in list = {.project = req->caller->project,
                                                   .type = in->type};
    struct sql_content_draft_list_rows rows;
    struct cms_draft *drafts;

    if (sql_content_draft_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    drafts = arena_calloc(req->arena, rows.count, sizeof(*drafts));
    for (size_t i = 0; i < rows.count; i++) {
        drafts[i] = *rows.items[i].draft;
        drafts[i].languages = languages_read(req->arena, rows.items[i].languages_json);
    }
    out->resources = (struct field_list){drafts, rows.count};
    return 0;
}

static int draft_find(struct docd *d, const struct request *req, const char *type, const char *key,
                      const char *language, struct sql_content_draft_get_row *ret,
                      struct error *err)
{
    const struct sql_content_draft_get_in get = {.project = req->caller->project,
                                                 .type = type,
                                                 .key = key,
                                                 .language = language_tag(req->arena, language)};

    return sql_content_draft_get(d->svc.db, req, &get, ret, err);
}

int cms_draft_get(struct docd *d, const struct request *req, const struct cms_in *in,
                  struct cms_entry *out, struct error *err)
{
    struct sql_content_draft_get_row row;

    if (require_draft(draft_find(d, req, in->type, in->key, in->language, &row, err), err) < 0)
        return -1;
    *out = *row.entry;
    out->sections = sections_read(req->arena, row.sections_json);
    return 0;
}

/* Fails if another request has stored the draft since it was read, or if there are too many. */
static int draft_stored(const struct sql_content_draft_write_row *written, bool found, bool is_new,
                        struct error *err)
{
    if (written->etag)
        return 0;
    if (!found && written->drafts >= CMS_DRAFTS_MAX)
        return error_set(err, ERR_CONFLICT, "The project has 1,000 drafts already.");
    return is_new ? etag_exists("draft", err) : etag_lost("draft", err);
}

int cms_draft_put(struct docd *d, const struct request *req, const struct cms_draft_put_in *in,
                  struct cms_entry *out, struct error *err)
{
    json_auto_t *sections = sections_json(&in->sections);
    struct sql_content_draft_write_row written;
    struct sql_content_draft_get_row row;
    struct sql_content_draft_write_in write = {
        .project = req->caller->project,
        .type = in->type,
        .key = in->key,
        .language = language_tag(req->arena, in->language),
        .title = in->title,
        .sections = codec_dump_json(req->arena, sections),
        .author = in->author,
        .code = in->code,
        .most = CMS_DRAFTS_MAX,
        .now = req->now_ms,
        .audit = audit_row(req, &(struct audit){.action = "content.write"})};
    int found = draft_find(d, req, in->type, in->key, in->language, &row, err);
    const char *etag = found > 0 ? row.entry->etag : NULL;

    if (found < 0 || etag_check(in->ifMatch, in->ifNoneMatch, etag, "draft", err) < 0)
        return -1;
    write.is_new = in->ifNoneMatch && etag_is_any(in->ifNoneMatch);
    if (etag_bind(in->ifMatch, etag, "draft", &write.expected, err) < 0 ||
        sql_content_draft_write(d->svc.db, req, &write, &written, err) < 0 ||
        draft_stored(&written, found > 0, write.is_new, err) < 0)
        return -1;
    *out = (struct cms_entry){.type = write.type,
                              .key = write.key,
                              .language = write.language,
                              .title = write.title,
                              .sections = in->sections,
                              .author = write.author,
                              .code = write.code,
                              .lastUpdated = req->now_ms,
                              .etag = written.etag};
    return 0;
}

int cms_draft_delete(struct docd *d, const struct request *req, const struct cms_in *in,
                     struct nothing *out UNUSED, struct error *err)
{
    const struct sql_content_draft_delete_in delete = {
        .project = req->caller->project,
        .type = in->type,
        .key = in->key,
        .language = language_tag(req->arena, in->language),
        .audit = audit_row(req, &(struct audit){.action = "content.delete"})};

    return require_draft(sql_content_draft_delete(d->svc.db, req, &delete, err), err);
}

/* ---- between daemons ---- */

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

int cms_import(struct docd *d, const struct request *req, const struct cms_import_in *in,
               struct cms_imported *out, struct error *err)
{
    const struct cms_entry *entries = in->entries.items;
    json_auto_t *json = json_array();
    struct sql_content_write_row written;

    for (size_t i = 0; i < in->entries.count; i++) {
        if (!is_overtaken(entries, in->entries.count, i))
            json_array_append_new(json, entry_json(req, &entries[i]));
    }
    out->entries = (int64_t)in->entries.count;
    if (in->entries.count == 0)
        return 0;
    if (write_entries(d, req, in->projectId, json, NULL, &written, err) < 0)
        return -1;
    out->changed = written.changed;
    return 0;
}

/*
 * docd_sql.h - the statements of docd by name; their texts are in docd_sql.def.
 *
 * The string macros are pieces that several statements share.
 */
#ifndef ATRIUM_DOCD_DOCD_SQL_H
#define ATRIUM_DOCD_DOCD_SQL_H

#include "common/pg/db.h"
#include "common/service/audit.h"
#include "common/service/seal_table.h"

enum docd_statement {
#define SQL(name, class, params, text) name,
#include "docd/docd_sql.def"
#undef SQL
    DOCD_STATEMENT_COUNT
};

extern const struct db_statement docd_statements[DOCD_STATEMENT_COUNT];

/* A file that could not be taken over so often is left to the sweep, which gives it up in the end;
 * readers get what there was before. */
#define ARRIVAL_FAILURES "10"

/* How long it is left alone after so many failures and one. */
#define ARRIVAL_PAUSE_MS(failures) "least(60000::int8 << least(" failures ", 9)::int, 6 * 3600000)"

/* Form u may yet bring bytes for document d. */
#define UPLOAD_TO_COME "u.number > coalesce(d.upload, 0) and u.failures < " ARRIVAL_FAILURES

/* Document d may yet have bytes by a form that was given out; `taken`: the store takes forms
 * itself. The numbers alone would say so for ever of a form that was never used; they spare most
 * documents the look at the forms. */
#define UPLOAD_PENDING(taken)                                                                     \
    "(" taken "::boolean and d.uploads > coalesce(d.upload, 0) and exists (select from upload u " \
    "where u.project_id = d.project_id and u.document_id = d.id and " UPLOAD_TO_COME "))"

/* What record() reads, of document d. */
#define DOCUMENT_COLUMNS                                                                       \
    "d.id, d.updated_at, d.author_type || '/' || d.author_id, d.author_display, d.file_name, " \
    "d.content_type, coalesce(d.size, -1), d.public_token"

/* What content_of() reads, of document d. */
#define DOCUMENT_CONTENT_COLUMNS(taken)                                                      \
    "d.project_id, d.object_id, d.etag, d.size, d.file_name, d.content_type, d.found_type, " \
    "d.updated_at, d.id, " UPLOAD_PENDING(taken) ", d.missing_at is not null"

/* Of documents d that are listed, which have indexes of their own; true for all of them. */
#define LISTED "d.updated_at >= 0 and "

/* A page of documents d behind the number of all of them; one row without a document when the page
 * is empty. */
#define DOCUMENT_SEARCH(condition, order, count, offset, taken)                                   \
    "select t.total, " DOCUMENT_COLUMNS                                                           \
    ", " UPLOAD_PENDING(taken) " from (select count(*) as total from document d where " condition \
                               ") t left join lateral (select * from document d where " condition \
                               " order by " order " limit " count " offset " offset ") d on true"

/* By up to three keys, which are parameters; the id makes the order of equals certain. */
#define DOCUMENT_ORDER_KEY(key)                                                                  \
    "case when " key " = '_lastUpdated' then d.updated_at end, "                                 \
    "case when " key " = '-_lastUpdated' then d.updated_at end desc, "                           \
    "case " key " when 'fileName' then d.file_name when 'contentType' then d.content_type end, " \
    "case " key                                                                                  \
    " when '-fileName' then d.file_name when '-contentType' then d.content_type end desc, "
#define DOCUMENT_ORDER(first, second, third) \
    DOCUMENT_ORDER_KEY(first "::text")       \
    DOCUMENT_ORDER_KEY(second "::text") DOCUMENT_ORDER_KEY(third "::text") "d.id"

/* The form that was given out last for document d, to a session, and what it may bring. */
#define UPLOAD_INSERT(id, file_name, content_type, expires_at, session, bytes_max, project_max) \
    "insert into upload (project_id, id, document_id, number, file_name, content_type, "        \
    "expires_at, session_id, bytes_max, project_bytes_max) "                                    \
    "select d.project_id, " id "::uuid, d.id, d.uploads, " file_name "::text, " content_type    \
    "::text, " expires_at "::bigint, " session "::uuid, " bytes_max "::bigint, " project_max    \
    "::bigint from d"

/* Whether a file of so many bytes in the place of that of document `of` fits in what may be
 * kept. */
#define UPLOAD_FITS(of, bytes_max, project_max, bytes)                               \
    "document_fits(" of ".project_id, " of ".author_id, null, case " of              \
    ".author_type when 'Patient' then " bytes_max " end, " project_max ", 0, " bytes \
    " - coalesce(" of ".size, 0))"

/* What SQL_UPLOAD_BEGIN and SQL_UPLOAD_FINISH say, for forms u that `condition` is true of. */
#define UPLOAD_BEGIN(object, sweep_at, condition)                                              \
    "with form as materialized (select u.project_id, d.id, u.session_id, "                     \
    "document_bytes_left(u.project_id, d.author_id, case d.author_type when 'Patient' then "   \
    "u.bytes_max end, u.project_bytes_max) + coalesce(d.size, 0) as bytes_left from upload u " \
    "join document d on d.project_id = u.project_id and d.id = u.document_id "                 \
    "where u.project_id = $1 and u.id = $2 and " condition "), "                               \
    "made as (insert into object (project_id, id, document_id, sweep_at) "                     \
    "select project_id, " object "::uuid, id, " sweep_at "::bigint from form "                 \
    "where bytes_left is null or bytes_left > 0) select session_id, bytes_left from form"
#define UPLOAD_FINISH(condition)                                                                   \
    "with u as (select * from upload where project_id = $1 and id = $2), "                         \
    "old as materialized (select d.* from document d join u on d.project_id = u.project_id "       \
    "        and d.id = u.document_id where " condition " for update of d), "                      \
    "fits as materialized (select " UPLOAD_FITS(                                                   \
        "old", "u.bytes_max", "u.project_bytes_max",                                               \
        "$4::bigint") " as yes from old, u), "                                                     \
                      "d as (update document d set upload = u.number, object_id = $3, size = $4, " \
                      "etag = $5, "                                                                \
                      "          found_type = $6, file_name = u.file_name, content_type = "        \
                      "u.content_type, "                                                           \
                      "          updated_at = $7, "                                                \
                      "          missing_at = null "                                               \
                      "      from old, u, fits where d.project_id = $1 and d.id = old.id and yes " \
                      "returning d.id), "                                                          \
                      "kept as (update object o set sweep_at = null from d "                       \
                      "         where o.project_id = $1 and o.id = $3), "                          \
                      "freed as (update object o set sweep_at = $8 from d, old "                   \
                      "          where o.project_id = $1 and o.id = old.object_id and o.id <> "    \
                      "$3), " SQL_AUDIT_MADE("$9", "$10",                                          \
                                             "coalesce($11::text, 'DocumentReference/' || d.id)",  \
                                             "$12",                                                \
                                             "d") "select d.id from fits left join d on true"

/* Entries as content_json() writes them. */
#define CONTENT_GIVEN(json)                                                \
    "json_to_recordset(" json                                              \
    "::json) e (type text, key text, language text, title text, sections " \
    "jsonb, author text, code text) "

#define CONTENT_ENTITY "'Content/' || t.type || '/' || t.key || '/' || t.language"

/* Adds what `word` (type, language, word, n) says to the count of each word, and answers what it is
 * now. */
#define CONTENT_COUNT_WORDS                                                                   \
    "insert into content_word as w (project_id, type, language, word, documents) "            \
    "select $1::uuid, type, language, word, sum(n) from word where left(word, 1) <> 'T' "     \
    "group by type, language, word having sum(n) <> 0 order by type, language, word "         \
    "on conflict (project_id, type, language, word) do update set documents = w.documents + " \
    "excluded.documents returning w.type, w.language, w.word, w.documents"

/* Those that no translation has any more, for SQL_CONTENT_WORDS_GONE; null: there are none. */
#define CONTENT_WORDS_GONE                                                                         \
    "(select json_agg(json_build_object('type', type, 'language', language, 'word', word))::text " \
    "from counted where documents <= 0)"

/* A page of keys p with their titles in both languages, each row behind the number of all; one row
 * without a key when the page is empty. */
#define CONTENT_MAP(total, page, order)                                           \
    "select c.total, p.key, s.title, t.title from (select (" total                \
    ") as total) c left join lateral (" page ") p on true "                       \
    "left join content_translation s "                                            \
    "on s.project_id = $1 and s.type = $2 and s.key = p.key and s.language = $3 " \
    "left join content_translation t "                                            \
    "on t.project_id = $1 and t.type = $2 and t.key = p.key and t.language = $4 order by " order

/* Most translations that a search compares with each other. */
#define CONTENT_HITS_MAX "500"

#endif

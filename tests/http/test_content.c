/*
 * test_content.c - content over HTTP: storing, mapping, search, import, isolation of tenants, and
 * integrity after races and deaths.
 */
#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/trail.h"
#include "tests/support/unit.h"

#define NOT_FOUND "Content not found."

static struct suite *suite;
static struct person *admin, *patient;

/* ---- requests ---- */

static struct http_answer *ask(const struct person *who, const char *method, const char *path,
                               const char *json)
{
    return http_call(suite_url(suite), &(struct http_request){.method = method,
                                                              .path = path,
                                                              .bearer = who ? who->access : NULL,
                                                              .raw = json});
}

/* Returns the path with an escaped query, in a static buffer. */
static const char *with_query(const char *path, const char *name, const char *value)
{
    static char text[1024];
    size_t size =
        (size_t)snprintf(text, sizeof(text), "%s%c%s=", path, strchr(path, '?') ? '&' : '?', name);

    for (const char *at = value; *at && size < sizeof(text) - 4; at++)
        size += (size_t)snprintf(text + size, 4, "%%%02X", (unsigned char)*at);
    return text;
}

static struct http_answer *search(const struct person *who, const char *path, const char *words)
{
    return ask(who, "GET", with_query(path, "search", words), NULL);
}

static void put(const struct person *who, const char *path, const char *title, const char *text)
{
    HTTP_ANSWER answer =
        http_put(suite_url(suite), path, who->access,
                 json_pack("{s:s, s:[{s:s}]}", "title", title, "sections", "text", text));

    CHECK_STATUS(answer, 200);
}

/* Formats a page as "total key:source title/target title ...", with "-" for a missing side (caller
 * frees). */
static char *shown(const struct http_answer *answer)
{
    const json_t *pairs = http_member(answer, "resources");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "%lld", (long long)json_integer_value(http_member(answer, "total")));
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *source = json_object_get(json_array_get(pairs, i), "source");
        const json_t *target = json_object_get(json_array_get(pairs, i), "target");
        const char *key = json_string_value(json_object_get(source ? source : target, "key"));

        fprintf(out, " %s:%s/%s", key,
                source ? json_string_value(json_object_get(source, "title")) : "-",
                target ? json_string_value(json_object_get(target, "title")) : "-");
    }
    fclose(out);
    return text;
}

static void check_shown(const struct http_answer *answer, const char *want, const char *label)
{
    char *text = shown(answer);

    UNIT_CHECK(answer->status == 200 && strcmp(text, want) == 0, "%s: %d \"%s\", not \"%s\"", label,
               answer->status, text, want);
    free(text);
}

/* Checks that entries, translations, words and sums are consistent, as a count of errors. */
static void check_whole(void)
{
    char *wrong = suite_query(
        suite,
        "select (select count(*) from doc.content c full join "
        "        (select project_id, type, key, array_agg(language order by language) as languages "
        "         from doc.content_translation group by 1, 2, 3) t using (project_id, type, key) "
        "        where c.languages is distinct from t.languages) + "
        "       (select count(*) from doc.content_word w full join "
        "        (select project_id, type, language, word collate \"C\" as word, count(*) as "
        "documents "
        "         from doc.content_translation, unnest(tsvector_to_array(words)) word "
        "         where left(word, 1) <> 'T' group by 1, 2, 3, 4) t "
        "        using (project_id, type, language, word) "
        "        where w.documents is distinct from t.documents) + "
        "       (select count(*) from doc.content_usage u full join "
        "        (select project_id, count(*) as entries, "
        "         sum(doc.content_bytes(title, sections, author, code)) as bytes "
        "         from doc.content_translation group by 1) t using (project_id) "
        "        where (u.entries, u.bytes) is distinct from (coalesce(t.entries, 0), "
        "        coalesce(t.bytes, 0)))");

    CU_ASSERT_STRING_EQUAL(wrong, "0");
    free(wrong);
}

/* ---- one entry ---- */

static void an_entry_is_put_read_replaced_deleted(void)
{
    static const char path
        [] = "/cms/article/tea/en",
    body[] =
        "{\"title\":\"Tea\",\"sections\":[{\"title\":\"How\",\"text\":\"Hot.\"},{\"text\":\"\"}],"
        "\"author\":\"Kim\",\"code\":\"T-1\",\"other\":1}";
    HTTP_ANSWER made = ask(admin, "PUT", path, body);
    HTTP_ANSWER read = ask(patient, "GET", path, NULL);

    CHECK_STATUS(made, 200);
    CHECK_STATUS(read, 200);
    CU_ASSERT_TRUE(json_equal(made->json, read->json));
    CU_ASSERT_STRING_EQUAL(http_text(read, "type"), "article");
    CU_ASSERT_STRING_EQUAL(http_text(read, "key"), "tea");
    CU_ASSERT_STRING_EQUAL(http_text(read, "language"), "en");
    CU_ASSERT_STRING_EQUAL(http_text(read, "title"), "Tea");
    CU_ASSERT_STRING_EQUAL(http_text(read, "sections.0.title"), "How");
    CU_ASSERT_STRING_EQUAL(http_text(read, "sections.0.text"), "Hot.");
    CU_ASSERT_PTR_NULL(http_member(read, "sections.1.title"));
    CU_ASSERT_STRING_EQUAL(http_text(read, "author"), "Kim");
    CU_ASSERT_STRING_EQUAL(http_text(read, "code"), "T-1");
    CU_ASSERT_EQUAL(strlen(http_text(read, "lastUpdated")), 24);

    HTTP_ANSWER replaced = ask(admin, "PUT", path, "{\"title\":\"Green tea\",\"author\":null}");
    CHECK_STATUS(replaced, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(replaced, "sections")), 0);
    CU_ASSERT_PTR_NULL(http_member(replaced, "author"));
    CU_ASSERT_PTR_NULL(http_member(replaced, "code"));
    HTTP_ANSWER other_spelling = ask(admin, "GET", "/cms/article/tea/EN", NULL);
    CHECK_STATUS(other_spelling, 200);
    CU_ASSERT_STRING_EQUAL(http_text(other_spelling, "title"), "Green tea");
    HTTP_ANSWER gone = ask(admin, "DELETE", path, NULL);
    CHECK_STATUS(gone, 204);
    CU_ASSERT_EQUAL(gone->size, 0);
    HTTP_ANSWER after = ask(patient, "GET", path, NULL);
    CHECK_ERROR(after, 404, NOT_FOUND);
    HTTP_ANSWER again = ask(admin, "DELETE", path, NULL);
    CHECK_ERROR(again, 404, NOT_FOUND);
    check_whole();
}

static void bad_requests_are_refused(void)
{
    static const char *const entry = "{\"title\":\"t\"}";
    static const struct {
        const char *method, *path, *body, *problem;
    } rows[] = {
        {"GET", "/cms/Article/map/en", NULL, "type"},
        {"GET", "/cms/art_icle/map/en", NULL, "type"},
        {"GET", "/cms/article/map/e", NULL, "language"},
        {"GET", "/cms/article/map/en_US", NULL, "language"},
        {"GET", "/cms/article/map/en?_count=0", NULL, "_count"},
        {"GET", "/cms/article/map/en?_count=101", NULL, "_count"},
        {"GET", "/cms/article/map/en?_count=ten", NULL, "_count"},
        {"GET", "/cms/article/map/en?_offset=-1", NULL, "_offset"},
        {"GET", "/cms/Article/key/en", NULL, "type"},
        {"GET", "/cms/article/Key/en", NULL, "key"},
        {"GET", "/cms/article/key/en-", NULL, "language"},
        {"PUT", "/cms/article/map/en", "{\"title\":\"t\"}", "key"},
        {"PUT", "/cms/Article/key/en", "{\"title\":\"t\"}", "type"},
        {"PUT", "/cms/article/k%C3%A9y/en", "{\"title\":\"t\"}", "key"},
        {"PUT", "/cms/article/key/1", "{\"title\":\"t\"}", "language"},
        {"PUT", "/cms/article/key/en", "{}", "title"},
        {"PUT", "/cms/article/key/en", "{\"title\":\"\"}", "title"},
        {"PUT", "/cms/article/key/en", "{\"title\":7}", "title"},
        {"PUT", "/cms/article/key/en", "{\"title\":\"t\",\"sections\":{}}", "sections"},
        {"PUT", "/cms/article/key/en", "{\"title\":\"t\",\"sections\":[1]}", "sections.0"},
        {"PUT", "/cms/article/key/en", "{\"title\":\"t\",\"sections\":[{}]}", "sections.0.text"},
        {"PUT", "/cms/article/key/en", "{\"title\":\"t\",\"author\":\"\"}", "author"},
        {"PUT", "/cms/article/key/en", "{\"title\":\"t\",\"code\":\"\"}", "code"},
        {"DELETE", "/cms/article/map/en", NULL, "key"},
    };
    char long_name[160], many[2000], *at = stpcpy(many, "{\"title\":\"t\",\"sections\":[");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = ask(admin, rows[i].method, rows[i].path, rows[i].body);

        UNIT_CHECK(CHECK_PROBLEM(answer, rows[i].problem), "%s %s %s", rows[i].method, rows[i].path,
                   rows[i].body ? rows[i].body : "");
    }
    for (int i = 0; i < 101; i++)
        at += sprintf(at, "%s{\"text\":\"\"}", i > 0 ? "," : "");
    strcpy(at, "]}");
    HTTP_ANSWER too_many = ask(admin, "PUT", "/cms/article/key/en", many);
    CHECK_PROBLEM(too_many, "sections");
    snprintf(long_name, sizeof(long_name), "/cms/article/%0101d/en", 0);
    HTTP_ANSWER too_long = ask(admin, "PUT", long_name, entry);
    CHECK_PROBLEM(too_long, "key");
    snprintf(long_name, sizeof(long_name), "/cms/article/%0100d/en", 0);
    HTTP_ANSWER longest = ask(admin, "PUT", long_name, entry);
    CHECK_STATUS(longest, 200);
    HTTP_ANSWER gone = ask(admin, "DELETE", long_name, NULL);
    CHECK_STATUS(gone, 204);
    memset(many, 'x', 201);
    many[201] = '\0';
    HTTP_ANSWER long_search = search(admin, "/cms/article/map/en", many);
    CHECK_PROBLEM(long_search, "search");
    HTTP_ANSWER post = ask(admin, "POST", "/cms/article/key/en", entry);
    CHECK_STATUS(post, 405);
}

static void roles_that_may_read_and_write(void)
{
    static const char without[] = "{\"name\":\"P\",\"resource\":[{\"resourceType\":\"Locale\"},"
                                  "{\"resourceType\":\"Content\",\"interaction\":[\"search\"]}]}";
    static const char with[] =
        "{\"name\":\"P\",\"resource\":[{\"resourceType\":\"*\",\"readonly\":true}]}";
    static const char *const reads[] = {"/cms/article/map/de", "/cms/article/sleeping-well/en"};
    PERSON other = person_register(suite, NULL);
    char path[128];

    HTTP_ANSWER nobody = ask(NULL, "GET", reads[0], NULL);
    CHECK_STATUS(nobody, 401);
    HTTP_ANSWER put_by_patient = ask(other, "PUT", reads[1], "{\"title\":\"t\"}");
    CHECK_ERROR(put_by_patient, 403, "Forbidden");
    HTTP_ANSWER delete_by_patient = ask(other, "DELETE", reads[1], NULL);
    CHECK_ERROR(delete_by_patient, 403, "Forbidden");
    snprintf(path, sizeof(path), "/v1/project/access-policies/%s",
             strchr(suite_text(suite, "demo.patientAccessPolicy"), '/') + 1);
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER changed = ask(admin, "PUT", path, i == 0 ? without : with);

        CHECK_STATUS(changed, 200);
        for (size_t j = 0; j < ARRAY_SIZE(reads); j++) {
            HTTP_ANSWER read = ask(other, "GET", reads[j], NULL);

            if (i == 0)
                CHECK_ERROR(read, 403, "Forbidden");
            else
                CHECK_STATUS(read, 200);
        }
    }
}

/* ---- the map ---- */

static void the_demo_has_content(void)
{
    static const struct {
        const char *path, *want;
    } rows[] = {
        {"/cms/article/map/es",
         "2 back-pain-basics:Back pain: the basics/Dolor de espalda: lo esencial "
         "sleeping-well:Sleeping well/-"},
        {"/cms/faq/map/de", "1 change-appointment:How do I change an appointment?/"
                            "Wie verschiebe ich einen Termin?"},
        {"/cms/exercise/map/en", "1 cat-and-cow:Cat and cow/Cat and cow"},
        {"/cms/exercise/map/fr", "1 cat-and-cow:Cat and cow/-"},
        {"/cms/exercise/map/de-AT", "1 cat-and-cow:Cat and cow/-"},
        {"/cms/nothing/map/en", "0"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = ask(patient, "GET", rows[i].path, NULL);

        check_shown(answer, rows[i].want, rows[i].path);
    }
    HTTP_ANSWER answer = ask(patient, "GET", "/cms/article/map/ES", NULL);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "resources.0.source.language"), "en");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "resources.0.source.key"), "back-pain-basics");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "resources.0.target.language"), "es");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "resources.0.target.key"), "back-pain-basics");
    CU_ASSERT_PTR_NULL(http_member(answer, "resources.1.target"));
}

/* Uses its own project, whose default language changes half-way. */
static void entries_stand_side_by_side(void)
{
    static const char change[] = "{\"languages\":[\"de\",\"en\"],\"defaultLanguage\":\"de\"}";
    PERSON there = person_admin_of_child(suite, "side-by-side");
    char *pages[4];

    put(there, "/cms/note/both/en", "Both", "x");
    put(there, "/cms/note/both/de", "Beide", "x");
    put(there, "/cms/note/source/en", "Source", "x");
    put(there, "/cms/note/orphan/de", "Waise", "x");
    put(there, "/cms/note/neither/fr", "Ni l'un ni l'autre", "x");
    HTTP_ANSWER map = ask(there, "GET", "/cms/note/map/de", NULL);
    check_shown(map, "3 both:Both/Beide orphan:-/Waise source:Source/-", "default en");
    HTTP_ANSWER changed = ask(there, "PATCH", "/locales", change);
    CHECK_STATUS(changed, 200);
    HTTP_ANSWER turned = ask(there, "GET", "/cms/note/map/en", NULL);
    check_shown(turned, "3 both:Beide/Both orphan:Waise/- source:-/Source", "default de");
    HTTP_ANSWER elsewhere = ask(admin, "GET", "/cms/note/map/en", NULL);
    check_shown(elsewhere, "0", "another project");
    HTTP_ANSWER by_key = ask(admin, "GET", "/cms/note/both/en", NULL);
    CHECK_ERROR(by_key, 404, NOT_FOUND);
    HTTP_ANSWER not_theirs = ask(admin, "DELETE", "/cms/note/both/en", NULL);
    CHECK_ERROR(not_theirs, 404, NOT_FOUND);
    for (int i = 0; i < 4; i++) {
        char path[64];

        snprintf(path, sizeof(path), "/cms/note/map/en?_count=1&_offset=%d", i);
        HTTP_ANSWER page = ask(there, "GET", path, NULL);
        CHECK_STATUS(page, 200);
        pages[i] = shown(page);
    }
    CU_ASSERT_STRING_EQUAL(pages[0], "3 both:Beide/Both");
    CU_ASSERT_STRING_EQUAL(pages[1], "3 orphan:Waise/-");
    CU_ASSERT_STRING_EQUAL(pages[2], "3 source:-/Source");
    CU_ASSERT_STRING_EQUAL(pages[3], "3");
    for (int i = 0; i < 4; i++)
        free(pages[i]);
    check_whole();
}

/* Formats "total key language... ", by the languages of each entry (caller frees). */
static char *languages_shown(const struct http_answer *answer)
{
    const json_t *pairs = http_member(answer, "resources");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "%lld", (long long)json_integer_value(http_member(answer, "total")));
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i), *each;
        const json_t *side = json_object_get(pair, "source");
        size_t j;

        side = side ? side : json_object_get(pair, "target");
        fprintf(out, " %s", json_string_value(json_object_get(side, "key")));
        json_array_foreach(json_object_get(pair, "languages"), j, each)
        {
            fprintf(out, "%c%s", j > 0 ? '+' : '=',
                    json_string_value(json_object_get(each, "language")));
            CU_ASSERT_TRUE(json_is_string(json_object_get(each, "lastUpdated")));
        }
    }
    fclose(out);
    return text;
}

static void missing_and_outdated_translations_are_listed(void)
{
    static const char review[] = "{\"title\":\"Zwei\",\"sections\":[{\"text\":\"b\"}],"
                                 "\"reviewed\":true}";
    static const char again[] = "{\"title\":\"Zwei\",\"sections\":[{\"text\":\"b\"}]}";
    static const struct {
        const char *query, *want;
    } rows[] = {
        {"map/de", "4 four=de one=en three=de+en+es two=de+en"},
        {"map/de?translation=missing", "1 one=en"},
        {"map/de?translation=outdated", "1 two=de+en"},
        {"map/es?translation=missing", "2 one=en two=de+en"},
        {"map/es?translation=outdated", "0"},
        {"map/en?translation=outdated", "0"},
        {"map/de?translation=outdated&search=title", "1 two=de+en"},
        {"map/de?translation=missing&search=two", "0"},
        {"map/de?translation=outdated&code=c1", "0"},
    };

    put(admin, "/cms/todo/one/en", "Title one", "a");
    put(admin, "/cms/todo/two/de", "Zwei", "b");
    put(admin, "/cms/todo/three/en", "Title three", "c");
    put(admin, "/cms/todo/four/de", "Vier", "d");
    usleep(3000); /* lastUpdated has milliseconds */
    put(admin, "/cms/todo/two/en", "Title two", "b");
    put(admin, "/cms/todo/three/de", "Drei", "c");
    put(admin, "/cms/todo/three/es", "Tres", "c");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char path[120];

        snprintf(path, sizeof(path), "/cms/todo/%s", rows[i].query);
        HTTP_ANSWER list = ask(patient, "GET", path, NULL);
        char *text = languages_shown(list);

        UNIT_CHECK(list->status == 200 && strcmp(text, rows[i].want) == 0,
                   "%s: %d \"%s\", not \"%s\"", path, list->status, text, rows[i].want);
        free(text);
    }
    usleep(3000);
    HTTP_ANSWER same = ask(admin, "PUT", "/cms/todo/two/de", again);
    CHECK_STATUS(same, 200);
    HTTP_ANSWER still = ask(patient, "GET", "/cms/todo/map/de?translation=outdated", NULL);
    CU_ASSERT_EQUAL(json_integer_value(http_member(still, "total")), 1);
    HTTP_ANSWER touched = ask(admin, "PUT", "/cms/todo/two/de", review);
    CHECK_STATUS(touched, 200);
    HTTP_ANSWER none = ask(patient, "GET", "/cms/todo/map/de?translation=outdated", NULL);
    CU_ASSERT_EQUAL(json_integer_value(http_member(none, "total")), 0);
    HTTP_ANSWER bad = ask(patient, "GET", "/cms/todo/map/de?translation=old", NULL);
    CHECK_STATUS(bad, 422);
    check_whole();
}

static void drafts_are_for_admins_until_they_are_published(void)
{
    static const char path[] = "/v1/project/content-drafts/plan/one/en-us";
    static const char list[] = "/v1/project/content-drafts?type=plan";
    static const char body[] =
        "{\"title\":\"Draft\",\"sections\":[{\"title\":\"A\",\"text\":\"b\"}],\"code\":\"c\"}";
    static const char *const routes[][2] = {
        {"GET", list}, {"GET", path}, {"PUT", path}, {"DELETE", path}};

    HTTP_ANSWER none = ask(admin, "GET", path, NULL);
    CHECK_ERROR(none, 404, "Draft not found.");
    HTTP_ANSWER put_answer = ask(admin, "PUT", path, body);
    CHECK_STATUS(put_answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(put_answer, "language"), "en-US");
    HTTP_ANSWER got = ask(admin, "GET", path, NULL);
    CHECK_STATUS(got, 200);
    CU_ASSERT_STRING_EQUAL(http_text(got, "title"), "Draft");
    CU_ASSERT_STRING_EQUAL(http_text(got, "sections.0.text"), "b");
    CU_ASSERT_STRING_EQUAL(http_text(got, "code"), "c");
    for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
        HTTP_ANSWER forbidden = ask(patient, routes[i][0], routes[i][1], i == 2 ? body : NULL);
        CHECK_ERROR(forbidden, 403, "Forbidden");
    }
    HTTP_ANSWER hidden = ask(patient, "GET", "/cms/plan/one/en-US", NULL);
    CHECK_ERROR(hidden, 404, NOT_FOUND);
    HTTP_ANSWER map = ask(admin, "GET", "/cms/plan/map/en-US", NULL);
    check_shown(map, "0", "a draft is not published");
    HTTP_ANSWER drafts = ask(admin, "GET", list, NULL);
    CU_ASSERT_STRING_EQUAL(http_text(drafts, "resources.0.key"), "one");
    CU_ASSERT_EQUAL(json_array_size(http_member(drafts, "resources.0.languages")), 0);
    put(admin, "/cms/plan/one/en", "Published", "b");
    HTTP_ANSWER after = ask(admin, "GET", list, NULL);
    CU_ASSERT_STRING_EQUAL(http_text(after, "resources.0.languages.0.language"), "en");
    CU_ASSERT_STRING_EQUAL(http_text(after, "resources.0.title"), "Draft");
    HTTP_ANSWER other_type = ask(admin, "GET", "/v1/project/content-drafts?type=other", NULL);
    CU_ASSERT_EQUAL(json_array_size(http_member(other_type, "resources")), 0);
    HTTP_ANSWER deleted = ask(admin, "DELETE", path, NULL);
    CHECK_STATUS(deleted, 204);
    HTTP_ANSWER again = ask(admin, "DELETE", path, NULL);
    CHECK_ERROR(again, 404, "Draft not found.");
    HTTP_ANSWER published = ask(patient, "GET", "/cms/plan/one/en", NULL);
    CHECK_STATUS(published, 200);
}

static void a_project_has_a_thousand_drafts(void)
{
    PERSON there = person_admin_of_child(suite, "drafts");
    long added = suite_count(
        suite,
        "with d as (insert into doc.content_draft (project_id, type, key, language, title, "
        "sections, updated_at) select '%s', 'note', 'k' || i, 'en', 'x', '[]', 1 "
        "from generate_series(1, 1000) i returning 1) select count(*) from d",
        strchr(there->project, '/') + 1);

    CU_ASSERT_EQUAL(added, 1000);
    HTTP_ANSWER more = ask(there, "PUT", "/v1/project/content-drafts/note/more/en",
                           "{\"title\":\"t\",\"sections\":[]}");
    CHECK_ERROR(more, 409, "The project has 1,000 drafts already.");
    HTTP_ANSWER same = ask(there, "PUT", "/v1/project/content-drafts/note/k7/en",
                           "{\"title\":\"t\",\"sections\":[]}");
    CHECK_STATUS(same, 200);
    HTTP_ANSWER all = ask(there, "GET", "/v1/project/content-drafts", NULL);
    CU_ASSERT_EQUAL(json_array_size(http_member(all, "resources")), 1000);
}

static void a_page_has_ten_entries_by_default(void)
{
    PERSON there = person_admin_of_child(suite, "ten");
    char path[64];

    for (int i = 0; i < 12; i++) {
        snprintf(path, sizeof(path), "/cms/note/n%02d/en", i);
        put(there, path, "One of twelve", "x");
    }
    HTTP_ANSWER ten = ask(there, "GET", "/cms/note/map/en", NULL);
    HTTP_ANSWER found = search(there, "/cms/note/map/en", "twelve");
    HTTP_ANSWER all = ask(there, "GET", "/cms/note/map/en?_count=100", NULL);
    HTTP_ANSWER rest = ask(there, "GET", "/cms/note/map/en?search=twelve&_offset=10", NULL);
    CU_ASSERT_EQUAL(json_array_size(http_member(ten, "resources")), 10);
    CU_ASSERT_EQUAL(json_array_size(http_member(found, "resources")), 10);
    CU_ASSERT_EQUAL(json_array_size(http_member(all, "resources")), 12);
    check_shown(rest, "12 n10:One of twelve/One of twelve n11:One of twelve/One of twelve",
                "second page");
}

/* ---- search ---- */

static void make_library(const struct person *there)
{
    static const struct {
        const char *path, *body;
    } rows[] = {
        {"/cms/article/headache/en",
         "{\"title\":\"Headache\",\"sections\":[{\"title\":\"Causes\",\"text\":\"Stress, thirst, "
         "bad light.\"}],\"author\":\"Dr. Zoë Müller\",\"code\":\"R51\"}"},
        {"/cms/article/headache/de",
         "{\"title\":\"Kopfschmerzen\",\"sections\":[{\"text\":\"Übung und Ruhe helfen.\"}]}"},
        {"/cms/article/migraine/en",
         "{\"title\":\"Migraine\",\"sections\":[{\"text\":\"More than a headache: light and noise "
         "hurt.\"}],\"code\":\"G43\"}"},
        {"/cms/article/drinking-enough/en",
         "{\"title\":\"Drinking enough\",\"sections\":[{\"text\":\"Two litres of water a day.\"}],"
         "\"author\":\"Sam Waterman\"}"},
        {"/cms/article/nur-deutsch/de",
         "{\"title\":\"Ernährung im Alter\",\"sections\":[{\"text\":\"Wasser, Gemüse, "
         "Bewegung.\"}],\"code\":\"R51\"}"},
        {"/cms/faq/headache/en", "{\"title\":\"A headache of another type\"}"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = ask(there, "PUT", rows[i].path, rows[i].body);

        CHECK_STATUS(answer, 200);
    }
}

static void entries_are_found(void)
{
    static const char headache[] = "headache:Headache/Kopfschmerzen",
                      migraine[] = "migraine:Migraine/-",
                      drinking[] = "drinking-enough:Drinking enough/-",
                      german[] = "nur-deutsch:-/Ernährung im Alter";
    static const struct {
        const char *words, *want[3]; /* entries, best first */
    } rows[] = {
        {"headache", {headache, migraine}}, /* the title ranks before the text */
        {"HEADACHE", {headache, migraine}},
        {"light", {headache, migraine}},
        {"noise", {migraine}},
        {"heada", {headache, migraine}},
        {"hedache", {headache, migraine}},
        {"headdache", {headache, migraine}},
        {"migrene", {migraine}},
        {"watr", {drinking}},
        {"kopfshmerzen", {headache}},
        {"ubung", {headache}},
        {"Übung", {headache}},
        {"ernahrung", {german}},
        {"muller", {headache}},
        {"zoe mueler", {headache}},
        {"drinking-enough", {drinking}},
        {"nur deutsch", {german}},
        {"litres water", {drinking}},
        {"water of two litres", {drinking}},
        {"headache noise", {migraine}},
        {"noise of the headache",
         {headache, migraine, drinking}}, /* no entry has all words, so any word counts */
        {"thirst, light!", {headache}},
        {"xylophone", {NULL}},
        {"...", {NULL}},
        {"' & | ! ( ) : * \\ <->", {NULL}},
        {"%_", {NULL}},
    };
    PERSON there = person_admin_of_child(suite, "library");

    make_library(there);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = search(there, "/cms/article/map/de", rows[i].words);
        char want[256], *at = want;
        int count = 0;

        while (count < 3 && rows[i].want[count])
            count++;
        at += sprintf(at, "%d", count);
        for (int j = 0; j < count; j++)
            at += sprintf(at, " %s", rows[i].want[j]);
        check_shown(answer, want, rows[i].words);
    }
    HTTP_ANSWER other_language = search(there, "/cms/article/map/en", "kopfschmerzen");
    check_shown(other_language, "0", "a language that was not asked for");
    HTTP_ANSWER empty = ask(there, "GET", "/cms/article/map/de?search=&code=", NULL);
    CU_ASSERT_EQUAL(json_integer_value(http_member(empty, "total")), 4);
    HTTP_ANSWER code = ask(there, "GET", "/cms/article/map/de?code=R51", NULL);
    check_shown(code, "2 headache:Headache/Kopfschmerzen nur-deutsch:-/Ernährung im Alter", "code");
    HTTP_ANSWER both = ask(there, "GET", "/cms/article/map/de?code=R51&search=headach", NULL);
    check_shown(both, "1 headache:Headache/Kopfschmerzen", "code and words");
    HTTP_ANSWER none = ask(there, "GET", "/cms/article/map/de?code=r51", NULL);
    check_shown(none, "0", "another code");
    HTTP_ANSWER elsewhere = search(admin, "/cms/article/map/de", "migraine");
    check_shown(elsewhere, "0", "another tenant");
}

/* Texts in many languages, with search words that people type. */
static const struct {
    const char *key, *title, *text;
} in_languages[] = {
    {"japanese", "雨の日の頭痛", "気圧が下がると頭が痛くなります。コーヒーを飲む。"},
    {"chinese", "儿童发烧怎么办", "多喝水，注意休息。"},
    {"korean", "아이의 두통이 심할 때", "병원에서 진료를 받으세요."},
    {"thai", "การดูแลผู้ป่วยเบาหวาน", "ตรวจน้ำตาลในเลือด"},
    {"arabic", "صُدَاعٌ عِنْدَ الأَطْفَالِ", "شرب المـــاء"},
    {"persian", "کم‌آبی کودکان", "ی و ک"},
    {"hebrew", "כְּאֵב רֹאשׁ", "מנוחה"},
    {"hindi", "सिरदर्द की दवा", "पानी पीना"},
    {"wide", "ＡＢＣテスト", "全角"},
    {"polish", "Ból głowy", "Żółć i łódź"},
    {"nordic", "Smørrebrød og æbler", "Þvottur"},
    {"croatian", "Đumbir", "čaj"},
    {"german", "Größe und Maß", "Straße"},
    {"french", "L’hôpital de l'œil", "Cœur"},
};

static const struct {
    const char *words, *key; /* NULL: no match */
} by_words[] = {
    {"頭痛", "japanese"},
    {"雨の日", "japanese"},
    {"日の頭", "japanese"},
    {"痛", "japanese"},
    {"雨", "japanese"},
    {"ｺｰﾋｰ", "japanese"},
    {"気圧 頭痛", "japanese"},
    {"発熱", NULL},
    {"发烧", "chinese"},
    {"喝水", "chinese"},
    {"烧发", NULL},
    {"두통", "korean"},
    {"진료", "korean"},
    {"เบาหวาน", "thai"},
    {"น้ำตาล", "thai"},
    {"صداع", "arabic"},
    {"الاطفال", "arabic"},
    {"الماء", "arabic"},
    {"كودكان", "persian"},
    {"کودکان", "persian"},
    {"کم‌آبی", "persian"},
    {"כאב ראש", "hebrew"},
    {"दवा", "hindi"},
    {"सिरदर्द", "hindi"},
    {"परद", NULL},
    {"दव", "hindi"},
    {"abc", "wide"},
    {"テスト", "wide"},
    {"bol glowy", "polish"},
    {"zolc", "polish"},
    {"łódź", "polish"},
    {"LODZ", "polish"},
    {"smorrebrod", "nordic"},
    {"aebler", "nordic"},
    {"thvottur", "nordic"},
    {"dumbir", "croatian"},
    {"grosse", "german"},
    {"MASS", "german"},
    {"hopital", "french"},
    {"oeil", "french"},
    {"coeur", "french"},
};

static void check_languages(const struct person *there, const char *label)
{
    for (size_t i = 0; i < ARRAY_SIZE(by_words); i++) {
        HTTP_ANSWER answer = search(there, "/cms/note/map/en", by_words[i].words);
        long long total = json_integer_value(http_member(answer, "total"));
        const char *key = total > 0 ? http_text(answer, "resources.0.source.key") : "";

        UNIT_CHECK(answer->status == 200 && total == (by_words[i].key ? 1 : 0) &&
                       strcmp(key, by_words[i].key ? by_words[i].key : "") == 0,
                   "%s: %s: %lld %s", label, by_words[i].words, total, key);
    }
}

static void words_of_every_script_are_found(void)
{
    PERSON there = person_admin_of_child(suite, "languages");

    for (size_t i = 0; i < ARRAY_SIZE(in_languages); i++) {
        char path[64];

        snprintf(path, sizeof(path), "/cms/note/%s/en", in_languages[i].key);
        put(there, path, in_languages[i].title, in_languages[i].text);
    }
    check_languages(there, "written");
    check_whole();
}

#define UNFOLDED \
    "select count(*) from doc.content_translation where not words @@ '''T.1'''::tsquery"

/* An older build wrote entries without folded words. docd soon folds them, also if that build
 * overwrites entries that were folded already. */
static void content_of_a_build_before_is_folded(void)
{
    PERSON there = person_admin_of_child(suite, "before");
    PGconn *conn = suite_database(suite);

    put(there, "/cms/note/japanese/en", "Something else", "that stays");
    CU_ASSERT_EQUAL(suite_count(suite, UNFOLDED), 0);
    TEXT project = suite_query(suite, "select project_id from doc.content_translation "
                                      "where title = 'Something else'");
    for (size_t i = 0; i < ARRAY_SIZE(in_languages); i++) {
        json_auto_t *sections = json_pack("[{s:s}]", "text", in_languages[i].text);
        TEXT text = json_dumps(sections, 0);
        const char *const values[] = {project, in_languages[i].key, in_languages[i].title, text};

        PQclear(PQexecParams(conn,
                             "insert into doc.content values ($1::uuid, 'note', $2, '{en}') "
                             "on conflict do nothing",
                             2, NULL, values, NULL, NULL, 0));
        PGresult *written = PQexecParams(
            conn,
            "with old as (select * from doc.content_translation where project_id = $1::uuid), "
            "written as (insert into doc.content_translation as t (project_id, type, key, "
            "language, title, sections, updated_at) "
            "values ($1::uuid, 'note', $2, 'en', $3, $4::jsonb, 5) "
            "on conflict (project_id, type, key, language) "
            "do update set title = excluded.title, sections = excluded.sections "
            "returning key, words), "
            "word as (select unnest(tsvector_to_array(words)) as word, 1 as n from written "
            "union all select unnest(tsvector_to_array(o.words)), -1 "
            "from old o join written using (key)) "
            "insert into doc.content_word as w "
            "select $1::uuid, 'note', 'en', word, sum(n) from word where left(word, 1) <> 'T' "
            "group by word having sum(n) <> 0 on conflict (project_id, type, language, word) "
            "do update set documents = w.documents + excluded.documents",
            4, NULL, values, NULL, NULL, 0);
        UNIT_CHECK(PQresultStatus(written) == PGRES_COMMAND_OK, "%s", PQerrorMessage(conn));
        PQclear(written);
    }
    PQclear(PQexec(conn, "delete from doc.content_word where documents = 0"));
    PQfinish(conn);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 20000, UNFOLDED));
    check_languages(there, "of the build before");
    check_whole();
}

static void an_entry_is_found_by_its_key_first(void)
{
    PERSON there = person_admin_of_child(suite, "keys");

    put(there, "/cms/note/a-zebra/en", "Zebra zebra", "zebra zebra zebra");
    put(there, "/cms/note/zebra/en", "Striped animal", "grass");
    put(there, "/cms/note/zebra-b/en", "Zebra", "zebra");
    HTTP_ANSWER answer = search(there, "/cms/note/map/en", "zebra");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "resources.0.source.key"), "zebra");
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "total")), 3);
    HTTP_ANSWER coded = ask(there, "GET", "/cms/note/map/en?search=zebra&code=other", NULL);
    check_shown(coded, "0", "a code that it does not have");
}

static void deleted_entries_are_not_found(void)
{
    PERSON there = person_admin_of_child(suite, "gone");

    put(there, "/cms/note/a/en", "Rhododendron", "garden");
    put(there, "/cms/note/b/en", "Garden", "soil");
    HTTP_ANSWER before = search(there, "/cms/note/map/en", "rododendron");
    check_shown(before, "1 a:Rhododendron/Rhododendron", "before");
    put(there, "/cms/note/a/en", "Azalea", "garden");
    HTTP_ANSWER changed = search(there, "/cms/note/map/en", "rododendron");
    check_shown(changed, "0", "changed");
    HTTP_ANSWER kept = search(there, "/cms/note/map/en", "gardn");
    check_shown(kept, "2 b:Garden/Garden a:Azalea/Azalea", "kept");
    HTTP_ANSWER gone = ask(there, "DELETE", "/cms/note/b/en", NULL);
    CHECK_STATUS(gone, 204);
    HTTP_ANSWER after = search(there, "/cms/note/map/en", "soil");
    check_shown(after, "0", "removed");
    check_whole();
}

static void large_texts_are_kept(void)
{
    static const char *const letters[] = {"ab ", "\u1ed9 ", "\ud55c", "\U00010400"};
    PERSON there = person_admin_of_child(suite, "large");

    for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
        size_t length = strlen(letters[i]), size = 990000 / length;
        char *text = malloc(size * length + 1), *at = text, path[64];
        json_t *sections = json_array();

        for (size_t j = 0; j < size; j++)
            at = stpcpy(at, letters[i]);
        for (size_t j = 0; j < size * length; j += 99000 / length * length)
            json_array_append_new(sections,
                                  json_pack("{s:s#}", "text", text + j,
                                            (int)MIN(99000 / length * length, size * length - j)));
        snprintf(path, sizeof(path), "/cms/note/large-%zu/en", i);
        HTTP_ANSWER answer =
            http_put(suite_url(suite), path, there->access,
                     json_pack("{s:s, s:o}", "title", "Large", "sections", sections));
        CHECK_STATUS(answer, 200);
        HTTP_ANSWER read = ask(there, "GET", path, NULL);
        CHECK_STATUS(read, 200);
        CU_ASSERT_TRUE(json_equal(http_member(answer, "sections"), http_member(read, "sections")));
        free(text);
    }
    HTTP_ANSWER found = search(there, "/cms/note/map/en", "large");
    CU_ASSERT_EQUAL(json_integer_value(http_member(found, "total")), 4);
    check_whole();
}

/* ---- the trail ---- */

static void each_change_leaves_its_row(void)
{
    static const struct {
        const char *method, *body;
        int status;
        const char *want;
    } rows[] = {
        {"PUT", "{\"title\":\"A\"}", 200, "1 content.write Content/note/trail/en"},
        {"PUT", "{\"title\":\"A\"}", 200, "0"},
        {"PUT", "{\"title\":\"B\"}", 200, "1 content.write Content/note/trail/en"},
        {"DELETE", NULL, 204, "1 content.delete Content/note/trail/en"},
        {"DELETE", NULL, 404, "0"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct http_request request = {.method = rows[i].method,
                                       .path = "/cms/note/trail/en",
                                       .bearer = admin->access,
                                       .raw = rows[i].body};
        char header[64], sql[300];

        snprintf(header, sizeof(header), "X-Request-Id: content-%zu", i);
        request.headers[0] = header;
        HTTP_ANSWER answer = http_call(suite_url(suite), &request);
        CHECK_STATUS(answer, rows[i].status);
        snprintf(
            sql, sizeof(sql),
            "select concat_ws(' ', count(*), min(event->>'action'), min(entity)) from doc.audit "
            "where event->>'trace' = 'content-%zu'",
            i);
        char *found = suite_query(suite, sql);
        UNIT_CHECK(strcmp(found, rows[i].want) == 0, "%zu: %s", i, found);
        free(found);
    }
}

/* ---- races and deaths ---- */

enum { WRITERS = 6, ROUNDS = 20 };

struct writer {
    pthread_t thread;
    const char *access;
    int number, good, conflicts, other;
    atomic_bool *stop;
};

static void *write_and_remove(void *arg)
{
    struct writer *self = arg;

    for (int i = 0; i < ROUNDS; i++) {
        char path[64], body[160];
        bool removes = (i + self->number) % 3 == 0;

        snprintf(path, sizeof(path), "/cms/race/entry-%d/%s", i % 2,
                 self->number % 2 ? "en" : "de");
        snprintf(body, sizeof(body), "{\"title\":\"writer%d round%d\",\"author\":\"same\"}",
                 self->number, i);
        HTTP_ANSWER answer =
            http_call(suite_url(suite), &(struct http_request){.method = removes ? "DELETE" : "PUT",
                                                               .path = path,
                                                               .bearer = self->access,
                                                               .raw = removes ? NULL : body});
        if (answer->status == 200 || answer->status == 204 || (removes && answer->status == 404))
            self->good++;
        else
            self->other++;
        if (answer->status >= 500)
            fprintf(stderr, "%s\n", answer->body);
    }
    return NULL;
}

static void *remove_one(void *arg)
{
    HTTP_ANSWER answer = ask(admin, "DELETE", "/cms/race/reborn/en", NULL);

    *(int *)arg = answer->status;
    return NULL;
}

/* An entry is removed and created again while a second removal waits for its row lock. The second
 * removal must leave the new entry. */
static void a_removal_keeps_off_a_new_entry(void)
{
    PGconn *conn = PQconnectdb(suite_text(suite, "postgres.conninfo"));
    pthread_t thread;
    int status = 0;

    HTTP_ANSWER made = ask(admin, "PUT", "/cms/race/reborn/en", "{\"title\":\"again\"}");
    CHECK_STATUS(made, 200);
    PQclear(PQexec(conn, "set search_path = doc; begin;"
                         "create temporary table before on commit drop as select * from content "
                         "where type = 'race' and key = 'reborn' for update"));
    pthread_create(&thread, NULL, remove_one, &status);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 5000,
                                  "select count(*) from pg_stat_activity where wait_event_type = "
                                  "'Lock' and query like '%%from content where%%for update%%' "
                                  "and usename = 'atrium-docd'"));
    PQclear(PQexec(conn, "delete from content_translation where type = 'race' and key = 'reborn'"));
    PQclear(PQexec(conn, "delete from content where type = 'race' and key = 'reborn'"));
    PQclear(PQexec(conn, "insert into content select * from before"));
    PQclear(PQexec(conn,
                   "insert into content_translation (project_id, type, key, language, title, "
                   "sections, updated_at) select project_id, type, key, 'en', 'again', '[]', 5 "
                   "from before"));
    PGresult *end = PQexec(conn, "commit");
    CU_ASSERT_EQUAL(PQresultStatus(end), PGRES_COMMAND_OK);
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(status, 404);
    HTTP_ANSWER there = ask(admin, "GET", "/cms/race/reborn/en", NULL);
    CHECK_STATUS(there, 200);
    PQclear(end);
    PQfinish(conn);
    HTTP_ANSWER gone = ask(admin, "DELETE", "/cms/race/reborn/en", NULL);
    CHECK_STATUS(gone, 204);
}

static void writers_do_not_mix(void)
{
    struct writer writers[WRITERS];
    int other = 0;

    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.access = admin->access, .number = i};
        pthread_create(&writers[i].thread, NULL, write_and_remove, &writers[i]);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i].thread, NULL);
        other += writers[i].other;
    }
    CU_ASSERT_EQUAL(other, 0);
    check_whole();
}

static void *write_on(void *arg)
{
    struct writer *self = arg;

    while (!atomic_load(self->stop)) {
        char path[64], body[160];

        snprintf(path, sizeof(path), "/cms/kill/w%d-%d/en", self->number, self->good + self->other);
        snprintf(body, sizeof(body), "{\"title\":\"number%d\",\"author\":\"everywhere\"}",
                 self->good + self->other);
        HTTP_ANSWER answer = ask(&(struct person){.access = admin->access}, "PUT", path, body);
        if (answer->status == 200)
            self->good++;
        else
            self->other++;
        UNIT_CHECK(answer->status == 200 || answer->status == 503, "%d", answer->status);
    }
    return NULL;
}

static void nothing_is_lost_or_half_done(void)
{
    atomic_bool stop = false;
    struct writer writers[WRITERS];
    int good = 0, tries = 0;
    char *stored;

    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.number = i, .stop = &stop};
        pthread_create(&writers[i].thread, NULL, write_on, &writers[i]);
    }
    for (int i = 0; i < 6; i++) {
        const char *instance = i % 2 ? "2" : "1";
        pid_t pid = suite_pid(suite, "docd", instance);

        usleep(150000 + 10000 * (useconds_t)i);
        suite_signal(suite, "docd", instance, SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", instance, pid));
    }
    atomic_store(&stop, true);
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i].thread, NULL);
        good += writers[i].good;
        tries += writers[i].good + writers[i].other;
    }
    stored = suite_query(suite, "select count(*) from doc.content where type = 'kill'");
    UNIT_CHECK(good > 20 && atoi(stored) >= good && atoi(stored) <= tries,
               "%s stored of %d acknowledged, %d asked", stored, good, tries);
    free(stored);
    check_whole();
}

/* settingsd knows the default language; without it the map fails without waiting. */
static void content_without_settingsd_is_unavailable(void)
{
    pid_t pid = suite_pid(suite, "settingsd", "1");

    suite_signal(suite, "settingsd", "1", SIGSTOP);
    suite_signal(suite, "settingsd", "1", SIGKILL);
    HTTP_ANSWER read = ask(patient, "GET", "/cms/article/sleeping-well/en", NULL);
    HTTP_ANSWER map = ask(patient, "GET", "/cms/article/map/en", NULL);
    UNIT_CHECK(read->status == 200 || read->status == 503, "%d", read->status);
    UNIT_CHECK(map->status == 200 || map->status == 503, "%d", map->status);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "settingsd", "1", pid));
    HTTP_ANSWER again = ask(patient, "GET", "/cms/article/map/en", NULL);
    CHECK_STATUS(again, 200);
}

static char *library_of(int count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fputs(" [\n", out);
    for (int i = 0; i < count; i++)
        fprintf(out,
                "%s{\"type\":\"manual\",\"key\":\"page-%d\",\"language\":\"EN\",\"title\":\"Page "
                "%d\",\"sections\":[{\"text\":\"all of them\"}]}",
                i > 0 ? ",\n" : "", i, i);
    fputs("\n] ", out);
    fclose(out);
    return text;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Searches for more than 500 matches: pages are stable and do not overlap, and there is a last
 * one. */
static void pages_do_not_overlap(const char *path, const char *words)
{
    char *keys[500], paged[128];
    size_t count = 0, twice = 0;

    for (int offset = 0; offset <= 500; offset += 100) {
        snprintf(paged, sizeof(paged), "%s?_count=100&_offset=%d", path, offset);
        HTTP_ANSWER page = search(patient, paged, words);
        HTTP_ANSWER again = search(patient, paged, words);
        const json_t *pairs = http_member(page, "resources");

        CU_ASSERT_EQUAL(json_integer_value(http_member(page, "total")), 500);
        CU_ASSERT_EQUAL(json_array_size(pairs), offset < 500 ? 100 : 0);
        CU_ASSERT_TRUE(json_equal(page->json, again->json));
        for (size_t i = 0; i < json_array_size(pairs) && count < ARRAY_SIZE(keys); i++) {
            const json_t *source = json_object_get(json_array_get(pairs, i), "source");

            keys[count++] = strdup(json_string_value(json_object_get(source, "key")));
        }
    }
    qsort(keys, count, sizeof(*keys), by_name);
    for (size_t i = 1; i < count; i++)
        twice += strcmp(keys[i - 1], keys[i]) == 0;
    UNIT_CHECK(count == 500 && twice == 0, "%zu entries, %zu of them twice", count, twice);
    while (count > 0)
        free(keys[--count]);
}

static void a_file_is_imported(void)
{
    char *library = library_of(2345);
    PROGRAM first =
        ATRIUMCTL(suite, library, "content", "import", "--project", "demo", "-", "--json");
    PROGRAM again = ATRIUMCTL(suite, library, "content", "import", "--project", "demo", "-");

    CHECK_EXIT(first, 0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(first->json, "entries")), 2345);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(first->json, "changed")), 2345);
    CHECK_EXIT(again, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(again->out, "changed  0"));
    CU_ASSERT_STRING_EQUAL(again->err, "");
    HTTP_ANSWER map = ask(patient, "GET", "/cms/manual/map/en?_count=1", NULL);
    check_shown(map, "2345 page-0:Page 0/Page 0", "imported");
    HTTP_ANSWER few = search(patient, "/cms/manual/map/en?_count=1", "2344");
    check_shown(few, "1 page-2344:Page 2344/Page 2344", "one of them");
    HTTP_ANSWER many = search(patient, "/cms/manual/map/en?_count=1", "page");
    CU_ASSERT_EQUAL(json_integer_value(http_member(many, "total")), 500);
    pages_do_not_overlap("/cms/manual/map/en", "all of them");
    char *rows = suite_query(suite, "select count(*) from doc.audit where event->>'action' = "
                                    "'content.write' and entity like 'Content/manual/%'");
    CU_ASSERT_STRING_EQUAL(rows, "2345");
    free(rows);
    free(library);
    check_whole();
}

#define ENTRY(more) "{\"type\":\"t\",\"key\":\"k\",\"language\":\"en\",\"title\":\"T\"" more "}"

static void a_file_of_another_system_is_imported(void)
{
    static const char file[] =
        "\xef\xbb\xbf[{\"type\":\"foreign\",\"key\":\"marked\",\"language\":\"en\",\"title\":\"T\","
        "\"id\":18446744073709551616,\"weight\":5.40}]";
    PROGRAM done = ATRIUMCTL(suite, file, "content", "import", "--project", "demo", "-", "--json");
    PROGRAM only = ATRIUMCTL(suite, "\xef\xbb", "content", "import", "--project", "demo", "-");

    CHECK_EXIT(done, 0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(done->json, "entries")), 1);
    CHECK_REFUSED(only, 1, "must be a JSON array of objects");
}

static void bad_files_are_refused(void)
{
    static const struct {
        const char *file, *complaint;
    } rows[] = {
        {"", "entry 1: the file must be a JSON array of objects"},
        {"{}", "entry 1: the file must be a JSON array of objects"},
        {"[", "entry 1: the file must be a JSON array of objects"},
        {"[7]", "entry 1: the file must be a JSON array of objects"},
        {"[" ENTRY("") ",]", "entry 2: the file must be a JSON array of objects"},
        {"[" ENTRY("") "", "entry 2: the file must be a JSON array of objects"},
        {"[" ENTRY("") "]]", "entry 2: the file must be a JSON array of objects"},
        {"[" ENTRY(",\"title\":\"U\"") "]", "entry 1: the file must be a JSON array of objects"},
        {"[" ENTRY("") ",{\"type\":\"t\",\"key\":\"map\",\"language\":\"en\",\"title\":\"T\"}]",
         "entry 2: key must not be map"},
        {"[" ENTRY(",\"sections\":[{\"title\":\"x\"}]") "]", "entry 1: sections.0.text "},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM refused =
            ATRIUMCTL(suite, rows[i].file, "content", "import", "--project", "demo", "-");

        CHECK_REFUSED(refused, 1, rows[i].complaint);
    }
    PROGRAM no_file =
        ATRIUMCTL(suite, NULL, "content", "import", "--project", "demo", "/nowhere/x.json");
    CHECK_REFUSED(no_file, 1, "/nowhere/x.json: No such file or directory");
    PROGRAM no_project = ATRIUMCTL(suite, "[]", "content", "import", "--project", "nobody", "-");
    CHECK_REFUSED(no_project, 1, "Tenant not found.");
    PROGRAM nothing =
        ATRIUMCTL(suite, "[]", "content", "import", "--project", "demo", "-", "--json");
    CHECK_EXIT(nothing, 0);
    PROGRAM twice = ATRIUMCTL(suite, "[" ENTRY("") "," ENTRY(",\"author\":\"last\"") "]", "content",
                              "import", "--project", "demo", "-", "--json");
    CHECK_EXIT(twice, 0);
    HTTP_ANSWER last = ask(admin, "GET", "/cms/t/k/en", NULL);
    CU_ASSERT_STRING_EQUAL(http_text(last, "author"), "last");
}

/* ---- limits ---- */

enum { ENTRIES_MAX = 500000, MAKERS = 64, LEFT = 10 };
#define BYTES_MAX (4LL << 30)

static void pretend(const struct person *who, long entries, long long bytes)
{
    long told = suite_count(suite,
                            "with u as (update doc.content_usage set entries = %ld, bytes = %lld "
                            "where project_id = '%s' returning 1) select count(*) from u",
                            entries, bytes, strchr(who->project, '/') + 1);

    CU_ASSERT_EQUAL(told, 1);
}

static void tell_the_truth(const struct person *who)
{
    const char *project = strchr(who->project, '/') + 1;

    pretend(who,
            suite_count(suite,
                        "select count(*) from doc.content_translation where project_id = '%s'",
                        project),
            suite_count(suite,
                        "select coalesce(sum(doc.content_bytes(title, sections, author, code)), 0) "
                        "from doc.content_translation where project_id = '%s'",
                        project));
    check_whole();
}

static struct http_answer *put_title(const struct person *who, const char *path, int letters)
{
    char body[64];

    snprintf(body, sizeof(body), "{\"title\":\"%0*d\"}", letters, 0);
    return ask(who, "PUT", path, body);
}

static void content_has_a_limit(void)
{
    static const char many[] = "The project has 500,000 entries of content already.",
                      large[] = "The project's content has at most 4 GiB together.";
    enum { ROW = 10 + sizeof("[]") - 1 };
    PERSON there = person_admin_of_child(suite, "full-of-content");

    HTTP_ANSWER first = put_title(there, "/cms/page/first/en", 1);
    CHECK_STATUS(first, 200);
    pretend(there, ENTRIES_MAX - 1, 0);
    HTTP_ANSWER last = put_title(there, "/cms/page/last/en", 1);
    CHECK_STATUS(last, 200);
    HTTP_ANSWER beyond = put_title(there, "/cms/page/beyond/en", 1);
    CHECK_ERROR(beyond, 409, many);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from doc.content where key = 'beyond'"), 0);
    HTTP_ANSWER translated = put_title(there, "/cms/page/last/de", 1);
    CHECK_ERROR(translated, 409, many);
    HTTP_ANSWER replaced = put_title(there, "/cms/page/last/en", 20);
    CHECK_STATUS(replaced, 200);
    PROGRAM imported = ATRIUMCTL(suite, "[" ENTRY("") "]", "content", "import", "--project",
                                 "full-of-content", "-");
    CHECK_REFUSED(imported, 1, many);
    HTTP_ANSWER deleted = ask(there, "DELETE", "/cms/page/last/en", NULL);
    CHECK_STATUS(deleted, 204);
    HTTP_ANSWER instead = put_title(there, "/cms/page/instead/en", 1);
    CHECK_STATUS(instead, 200);

    pretend(there, 3, BYTES_MAX - ROW);
    HTTP_ANSWER longer = put_title(there, "/cms/page/bytes/en", 11);
    CHECK_ERROR(longer, 409, large);
    HTTP_ANSWER fits = put_title(there, "/cms/page/bytes/en", 10);
    CHECK_STATUS(fits, 200);
    HTTP_ANSWER grown = put_title(there, "/cms/page/bytes/en", 11);
    CHECK_ERROR(grown, 409, large);
    HTTP_ANSWER same = ask(there, "PUT", "/cms/page/bytes/en", "{\"title\":\"0123456789\"}");
    CHECK_STATUS(same, 200);
    HTTP_ANSWER smaller = put_title(there, "/cms/page/bytes/en", 9);
    CHECK_STATUS(smaller, 200);
    tell_the_truth(there);
}

static void content_is_limited_at_the_same_moment(void)
{
    PERSON there = person_admin_of_child(suite, "content-at-once");
    struct http_request requests[MAKERS];
    struct http_answer *answers[MAKERS];
    char paths[MAKERS][64];

    HTTP_ANSWER first = put_title(there, "/cms/page/first/en", 1);
    CHECK_STATUS(first, 200);
    pretend(there, ENTRIES_MAX - LEFT, 0);
    for (int i = 0; i < MAKERS; i++) {
        snprintf(paths[i], sizeof(paths[i]), "/cms/page/%d/en", i);
        requests[i] = (struct http_request){
            .method = "PUT", .path = paths[i], .bearer = there->access, .raw = "{\"title\":\"t\"}"};
    }
    http_call_many(suite_url(suite), requests, MAKERS, MAKERS, answers);
    UNIT_CHECK(http_count_status(answers, MAKERS, 200) == LEFT &&
                   http_count_status(answers, MAKERS, 409) == MAKERS - LEFT,
               "%d were written", http_count_status(answers, MAKERS, 200));
    http_answers_destroy(answers, MAKERS);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from doc.content_translation where project_id = "
                                "'%s'",
                                strchr(there->project, '/') + 1),
                    1 + LEFT);
    tell_the_truth(there);
}

static void the_scene_is_set(void)
{
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    CU_ASSERT_FATAL(admin->status == 200 && patient->status == 200);
}

static void the_suite_ends(void)
{
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(the_demo_has_content),
    CASE(an_entry_is_put_read_replaced_deleted),
    CASE(bad_requests_are_refused),
    CASE(roles_that_may_read_and_write),
    CASE(entries_stand_side_by_side),
    CASE(missing_and_outdated_translations_are_listed),
    CASE(drafts_are_for_admins_until_they_are_published),
    CASE(a_project_has_a_thousand_drafts),
    CASE(a_page_has_ten_entries_by_default),
    CASE(entries_are_found),
    CASE(words_of_every_script_are_found),
    CASE(content_of_a_build_before_is_folded),
    CASE(an_entry_is_found_by_its_key_first),
    CASE(deleted_entries_are_not_found),
    CASE(large_texts_are_kept),
    CASE(each_change_leaves_its_row),
    CASE(a_file_is_imported),
    CASE(a_file_of_another_system_is_imported),
    CASE(bad_files_are_refused),
    CASE(content_has_a_limit),
    CASE(content_is_limited_at_the_same_moment),
    CASE(a_removal_keeps_off_a_new_entry),
    CASE(writers_do_not_mix),
    CASE(nothing_is_lost_or_half_done),
    CASE(content_without_settingsd_is_unavailable),
    CASE_ALWAYS(the_suite_ends),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "docd=2"});
    return unit_run("content", cases, ARRAY_SIZE(cases));
}

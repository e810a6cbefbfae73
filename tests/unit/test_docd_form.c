/*
 * test_docd_form.c - docd without a database: signed forms and their refusals, file names and
 * types.
 */
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "common/wire/codec.h"
#include "docd/document/disposition.h"
#include "docd/document/sniff.h"
#include "docd/store/post_policy.h"
#include "tests/support/unit.h"

static const struct sigv4_signer signer = {"atrium", "c2VjcmV0", "local"};
static const int64_t now = 1790000000000;

/* The example of Amazon's documentation ("POST Object", Signature Version 4). */
static void amazons_example_has_amazons_signature(void)
{
    static const struct sigv4_signer amazon = {
        "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1"};
    static const char policy[] =
        "eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA0KICAiY29uZGl0aW9ucyI6IFsNCiAg"
        "ICB7ImJ1Y2tldCI6ICJzaWd2NGV4YW1wbGVidWNrZXQifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRrZXkiLCAi"
        "dXNlci91c2VyMS8iXSwNCiAgICB7ImFjbCI6ICJwdWJsaWMtcmVhZCJ9LA0KICAgIHsic3VjY2Vzc19hY3Rpb25f"
        "cmVkaXJlY3QiOiAiaHR0cDovL3NpZ3Y0ZXhhbXBsZWJ1Y2tldC5zMy5hbWF6b25hd3MuY29tL3N1Y2Nlc3NmdWxf"
        "dXBsb2FkLmh0bWwifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRDb250ZW50LVR5cGUiLCAiaW1hZ2UvIl0sDQog"
        "ICAgeyJ4LWFtei1tZXRhLXV1aWQiOiAiMTQzNjUxMjM2NTEyNzQifSwNCiAgICB7IngtYW16LXNlcnZlci1zaWRl"
        "LWVuY3J5cHRpb24iOiAiQUVTMjU2In0sDQogICAgWyJzdGFydHMtd2l0aCIsICIkeC1hbXotbWV0YS10YWciLCAi"
        "Il0sDQoNCiAgICB7IngtYW16LWNyZWRlbnRpYWwiOiAiQUtJQUlPU0ZPRE5ON0VYQU1QTEUvMjAxNTEyMjkvdXMt"
        "ZWFzdC0xL3MzL2F3czRfcmVxdWVzdCJ9LA0KICAgIHsieC1hbXotYWxnb3JpdGhtIjogIkFXUzQtSE1BQy1TSEEy"
        "NTYifSwNCiAgICB7IngtYW16LWRhdGUiOiAiMjAxNTEyMjlUMDAwMDAwWiIgfQ0KICBdDQp9";
    char signature[SIGV4_SIGNATURE_SIZE];

    sigv4_sign(&amazon, "20151229T000000Z", policy, signature);
    CU_ASSERT_STRING_EQUAL(signature,
                           "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e");
}

/* The examples of Amazon's documentation ("Authenticating requests: using the Authorization
 * header"). */
static void amazons_requests_have_amazons_signatures(void)
{
    static const struct sigv4_signer amazon = {
        "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1"};
    static const char nothing[] =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    static const struct {
        const char *label, *path, *query, *range, *signature;
    } rows[] = {
        {"GET Object", "/test.txt", "", "bytes=0-9",
         "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
        {"GET Bucket Lifecycle", "/", "lifecycle=", NULL,
         "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
        {"GET Bucket", "/", "max-keys=2&prefix=J", NULL,
         "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    char hash[SIGV4_SIGNATURE_SIZE], stamp[SIGV4_STAMP_SIZE];

    sigv4_hash("", 0, hash);
    CU_ASSERT_STRING_EQUAL(hash, nothing);
    sigv4_stamp(1369353600000, stamp);
    CU_ASSERT_STRING_EQUAL(stamp, "20130524T000000Z");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct sigv4_header headers[4] = {{"host", "examplebucket.s3.amazonaws.com"}};
        size_t count = 1;

        if (rows[i].range)
            headers[count++] = (struct sigv4_header){"range", rows[i].range};
        headers[count++] = (struct sigv4_header){"x-amz-content-sha256", nothing};
        headers[count++] = (struct sigv4_header){"x-amz-date", stamp};
        const char *made = sigv4_authorization(&amazon,
                                               &(struct sigv4_request){.method = "GET",
                                                                       .path = rows[i].path,
                                                                       .query = rows[i].query,
                                                                       .headers = headers,
                                                                       .header_count = count},
                                               arena);
        UNIT_CHECK(strstr(made, rows[i].signature) != NULL, "%s: %s", rows[i].label, made);
    }
}

struct fields {
    struct form_field items[FORM_FIELDS_MAX + 2];
    size_t count;
};

static struct fields signed_fields(struct arena *arena, int64_t expires_ms)
{
    struct post_policy policy = {.bucket = "documents",
                                 .key = "a/b",
                                 .content_type = "image/png",
                                 .size_min = 1,
                                 .size_max = 1000,
                                 .expires_ms = expires_ms};
    json_auto_t *json = json_loads(post_policy_sign(&signer, &policy, now, arena), 0, NULL);
    struct fields fields = {.count = 0};
    const char *name;
    json_t *value;

    json_object_foreach(json, name, value) fields.items[fields.count++] = (struct form_field){
        arena_strdup(arena, name), arena_strdup(arena, json_string_value(value))};
    return fields;
}

static void set(struct fields *fields, const char *name, const char *value)
{
    for (size_t i = 0; i < fields->count; i++)
        if (strcmp(fields->items[i].name, name) == 0)
            fields->items[i].value = value;
}

static void drop(struct fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++)
        if (strcmp(fields->items[i].name, name) == 0)
            fields->items[i] = fields->items[--fields->count];
}

static int check(const struct fields *fields, const char *bucket, int64_t at, struct arena *arena,
                 struct post_policy *ret, struct error *err)
{
    struct field_list list = {fields->items, fields->count};

    error_init(err, arena);
    return post_policy_check(&signer, &list, bucket, at, arena, ret, err);
}

static void a_form_has_the_usual_fields(void)
{
    static const char *const names[] = {
        "key",        "bucket",          "policy",      "x-amz-algorithm", "x-amz-credential",
        "x-amz-date", "x-amz-signature", "Content-Type"};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct fields fields = signed_fields(arena, now + 1000);
    struct post_policy policy;
    struct error err;

    CU_ASSERT_EQUAL(fields.count, ARRAY_SIZE(names));
    for (size_t i = 0; i < ARRAY_SIZE(names) && i < fields.count; i++)
        CU_ASSERT_STRING_EQUAL(fields.items[i].name, names[i]);
    CU_ASSERT_EQUAL(check(&fields, "documents", now, arena, &policy, &err), 0);
    CU_ASSERT_STRING_EQUAL(policy.key, "a/b");
    CU_ASSERT_STRING_EQUAL(policy.content_type, "image/png");
    CU_ASSERT_EQUAL(policy.size_min, 1);
    CU_ASSERT_EQUAL(policy.size_max, 1000);
    CU_ASSERT_EQUAL(policy.expires_ms, now + 1000);
    for (size_t i = 0; i < fields.count; i++) { /* S3 clients use any case */
        char *upper = arena_strdup(arena, fields.items[i].name);
        for (char *at = upper; *at; at++)
            *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 32) : *at;
        fields.items[i].name = upper;
    }
    CU_ASSERT_EQUAL(check(&fields, "documents", now, arena, &policy, &err), 0);
}

static const char *another_policy(struct arena *arena, const char *from, const char *to)
{
    struct fields fields = signed_fields(arena, now + 1000);
    const char *encoded = NULL;
    uint8_t *text = arena_alloc(arena, 4096);
    size_t size;

    for (size_t i = 0; i < fields.count; i++)
        if (strcmp(fields.items[i].name, "policy") == 0)
            encoded = fields.items[i].value;
    if (sodium_base642bin(text, 4096, encoded, strlen(encoded), NULL, &size, NULL,
                          sodium_base64_VARIANT_ORIGINAL) == 0) {
        char *found = strstr((char *)text, from);
        char *changed = arena_alloc(arena, 8192);

        UNIT_CHECK(found != NULL, "%s", from);
        snprintf(changed, 4096, "%.*s%s%s", found ? (int)(found - (char *)text) : 0, (char *)text,
                 to, found ? found + strlen(from) : "");
        sodium_bin2base64(changed + 4096, 4096, (uint8_t *)changed, strlen(changed),
                          sodium_base64_VARIANT_ORIGINAL);
        return changed + 4096;
    }
    return "";
}

static void forged_forms_are_refused(void)
{
    static const struct {
        const char *name, *value; /* NULL: left out */
    } rows[] = {
        {"key", "a/c"},
        {"key", ""},
        {"key", "../a/b"},
        {"key", NULL},
        {"bucket", "other"},
        {"bucket", NULL},
        {"Content-Type", "text/html"},
        {"Content-Type", "image/png "},
        {"Content-Type", NULL},
        {"policy", ""},
        {"policy", "e30="},
        {"policy", "not base64"},
        {"policy", NULL},
        {"x-amz-algorithm", "AWS4-HMAC-SHA1"},
        {"x-amz-algorithm", "none"},
        {"x-amz-algorithm", NULL},
        {"x-amz-credential", "root/20260921/local/s3/aws4_request"},
        {"x-amz-credential", "atrium/20260922/local/s3/aws4_request"},
        {"x-amz-credential", "atrium"},
        {"x-amz-credential", NULL},
        {"x-amz-date", "20360921T000000Z"},
        {"x-amz-date", ""},
        {"x-amz-date", NULL},
        {"x-amz-signature", ""},
        {"x-amz-signature", "0000000000000000000000000000000000000000000000000000000000000000"},
        {"x-amz-signature", NULL},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct post_policy policy;
    struct error err;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct fields fields = signed_fields(arena, now + 1000);

        if (rows[i].value)
            set(&fields, rows[i].name, rows[i].value);
        else
            drop(&fields, rows[i].name);
        UNIT_CHECK(check(&fields, "documents", now, arena, &policy, &err) < 0 &&
                       err.code == ERR_FORBIDDEN,
                   "%s = %s", rows[i].name, rows[i].value ? rows[i].value : "(none)");
    }
}

static void altered_policies_are_refused(void)
{
    static const char *const rows[][2] = {
        {"1000]", "100000000]"},
        {"[\"content-length-range\",1,1000],", ""},
        {"\"a/b\"", "\"a/c\""},
        {"image/png", "text/html"},
        {"\"expiration\":\"2026", "\"expiration\":\"2036"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct post_policy policy;
    struct error err;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct fields fields = signed_fields(arena, now + 1000);

        set(&fields, "policy", another_policy(arena, rows[i][0], rows[i][1]));
        UNIT_CHECK(check(&fields, "documents", now, arena, &policy, &err) < 0 &&
                       err.code == ERR_FORBIDDEN,
                   "%s", rows[i][0]);
    }
}

static void forms_are_good_for_one_place_and_time(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct fields fields = signed_fields(arena, now + 1000), more = fields, twice = fields;
    static const struct sigv4_signer other = {"atrium", "other", "local"};
    struct field_list list = {fields.items, fields.count};
    struct post_policy policy;
    struct error err;

    CU_ASSERT_EQUAL(check(&fields, "documents", now + 999, arena, &policy, &err), 0);
    CU_ASSERT_TRUE(check(&fields, "documents", now + 1000, arena, &policy, &err) < 0);
    CU_ASSERT_TRUE(check(&fields, "documents2", now, arena, &policy, &err) < 0);
    CU_ASSERT_TRUE(check(&fields, "", now, arena, &policy, &err) < 0);
    more.items[more.count++] = (struct form_field){"acl", "public-read"};
    CU_ASSERT_TRUE(check(&more, "documents", now, arena, &policy, &err) < 0);
    twice.items[twice.count++] = (struct form_field){"KEY", "a/b"};
    CU_ASSERT_TRUE(check(&twice, "documents", now, arena, &policy, &err) < 0);
    CU_ASSERT_TRUE(post_policy_check(&other, &list, "documents", now, arena, &policy, &err) < 0);
    list.count = 0;
    CU_ASSERT_TRUE(post_policy_check(&signer, &list, "documents", now, arena, &policy, &err) < 0);
}

static void names_become_headers(void)
{
    static const struct {
        const char *name;
        bool attachment;
        const char *want;
    } rows[] = {
        {"a.png", false, "inline; filename=\"a.png\"; filename*=UTF-8''a.png"},
        {"a.png", true, "attachment; filename=\"a.png\"; filename*=UTF-8''a.png"},
        {"a\"; x=\"b", true,
         "attachment; filename=\"a_; x=_b\"; filename*=UTF-8''a%22%3B%20x%3D%22b"},
        {"\xe2\x82\xac\xc3\xa4", true,
         "attachment; filename=\"__\"; filename*=UTF-8''%E2%82%AC%C3%A4"},
        {"a\r\nb", true, "attachment; filename=\"a__b\"; filename*=UTF-8''a%0D%0Ab"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();

        CU_ASSERT_STRING_EQUAL(disposition(arena, rows[i].attachment, rows[i].name), rows[i].want);
    }
}

static void active_types_are_known(void)
{
    static const struct {
        const char *type;
        bool active;
    } rows[] = {
        {"text/html", true},
        {"TEXT/HTML; charset=x", true},
        {"image/svg+xml", true},
        {"application/xml", true},
        {"text/xml", true},
        {"application/xhtml+xml", true},
        {"application/rss+xml ", true},
        {"image/png", false},
        {"application/pdf", false},
        {"text/plain", false},
        {"text/html2", false},
        {"application/octet-stream", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(media_type_is_active(rows[i].type) == rows[i].active, "%s", rows[i].type);
}

static const struct unit_case cases[] = {
    CASE(amazons_example_has_amazons_signature),
    CASE(amazons_requests_have_amazons_signatures),
    CASE(a_form_has_the_usual_fields),
    CASE(forged_forms_are_refused),
    CASE(altered_policies_are_refused),
    CASE(forms_are_good_for_one_place_and_time),
    CASE(names_become_headers),
    CASE(active_types_are_known),
};

int main(void)
{
    return unit_run("docd forms", cases, ARRAY_SIZE(cases));
}

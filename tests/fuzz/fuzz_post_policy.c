/*
 * fuzz_post_policy.c - signed upload forms. Input: lines name=value, a form's fields. A JSON policy
 * is encoded, and "x-amz-signature=right" becomes the right signature.
 */
#include <sodium.h>
#include <string.h>
#include <strings.h>

#include "common/wire/codec.h"
#include "docd/store/post_policy.h"
#include "tests/fuzz/fuzz.h"

static const int64_t now_ms = 1769851800000;

static const struct sigv4_signer signer = {"access", "secret", "eu-central-1"};
static const char bucket[] = "documents";

static struct field_list read_fields(struct arena *arena, const uint8_t *data, size_t size)
{
    struct form_field *fields = arena_calloc(arena, FORM_FIELDS_MAX, sizeof(*fields));
    struct field_list list = {fields, 0};

    while (size > 0 && list.count < FORM_FIELDS_MAX) {
        CLEANUP(memory_free) char *line = fuzz_line(&data, &size);
        char *equals = strchr(line, '=');

        if (!equals || !codec_is_text(line, strlen(line)))
            continue;
        *equals = '\0';
        fields[list.count++] =
            (struct form_field){arena_strdup(arena, line), arena_strdup(arena, equals + 1)};
    }
    return list;
}

static struct form_field *find(const struct field_list *list, const char *name)
{
    union {
        const void *items;
        struct form_field *fields; /* result of read_fields() */
    } of = {list->items};

    for (size_t i = 0; i < list->count; i++)
        if (strcasecmp(of.fields[i].name, name) == 0)
            return &of.fields[i];
    return NULL;
}

static void sign(struct arena *arena, const struct field_list *list)
{
    struct form_field *policy = find(list, "policy"), *mark = find(list, "x-amz-signature");
    struct form_field *date = find(list, "x-amz-date");
    char *signature = arena_alloc(arena, SIGV4_SIGNATURE_SIZE);

    if (policy && policy->value[0] == '{') {
        size_t length = strlen(policy->value),
               room = sodium_base64_ENCODED_LEN(length, sodium_base64_VARIANT_ORIGINAL);

        policy->value =
            sodium_bin2base64(arena_alloc(arena, room), room, (const uint8_t *)policy->value,
                              length, sodium_base64_VARIANT_ORIGINAL);
    }
    if (!policy || !mark || !date || strcmp(mark->value, "right") != 0)
        return;
    sigv4_sign(&signer, arena_strndup(arena, date->value, strnlen(date->value, 8)), policy->value,
               signature);
    mark->value = signature;
}

/* Checks that the signed conditions name every field, except the two that cannot be. */
static void check_all_are_signed(struct arena *arena, const struct field_list *list)
{
    const struct form_field *fields = list->items;
    const char *encoded = find(list, "policy")->value;
    uint8_t *text = arena_alloc(arena, strlen(encoded) + 1);
    json_t *policy, *each;
    size_t size, index;

    FUZZ_REQUIRE(sodium_base642bin(text, strlen(encoded), encoded, strlen(encoded), NULL, &size,
                                   NULL, sodium_base64_VARIANT_ORIGINAL) == 0);
    policy = json_loadb((const char *)text, size, 0, NULL);
    for (size_t i = 0; i < list->count; i++) {
        bool named = strcasecmp(fields[i].name, "policy") == 0 ||
                     strcasecmp(fields[i].name, "x-amz-signature") == 0;

        json_array_foreach(json_object_get(policy, "conditions"), index, each)
        {
            const char *name = json_object_iter_key(json_object_iter(each));

            named = named || (name && strcasecmp(name, fields[i].name) == 0);
        }
        FUZZ_REQUIRE(named);
    }
    json_decref(policy);
}

static void check_form(struct arena *arena, const struct field_list *list)
{
    struct post_policy policy;
    struct error err;

    error_init(&err, arena);
    if (post_policy_check(&signer, list, bucket, now_ms, arena, &policy, &err) < 0) {
        fuzz_require_error(&err);
        return;
    }
    FUZZ_REQUIRE(policy.expires_ms > now_ms && policy.size_min >= 0 &&
                 policy.size_min <= policy.size_max);
    FUZZ_REQUIRE(policy.key && strcmp(policy.key, find(list, "key")->value) == 0);
    FUZZ_REQUIRE(strcmp(policy.bucket, bucket) == 0);
    check_all_are_signed(arena, list);
}

/* Checks that our own form is accepted unchanged, and refused with any changed byte. */
static void check_own(struct arena *arena, const char *key, const char *type, size_t spoilt)
{
    struct post_policy policy = {bucket, key, type, 1, 1000, now_ms + 1000}, read;
    const char *text = post_policy_sign(&signer, &policy, now_ms, arena);
    json_t *json = json_loads(text, 0, NULL), *value;
    struct form_field *fields = arena_calloc(arena, FORM_FIELDS_MAX, sizeof(*fields));
    struct field_list list = {fields, 0};
    struct error err;
    const char *name;
    char *copy;

    error_init(&err, arena);
    json_object_foreach(json, name, value) fields[list.count++] =
        (struct form_field){name, json_string_value(value)};
    FUZZ_REQUIRE(post_policy_check(&signer, &list, bucket, now_ms, arena, &read, &err) == 0);
    FUZZ_REQUIRE(strcmp(read.key, key) == 0 && strcmp(read.content_type, type) == 0);
    FUZZ_REQUIRE(read.size_min == 1 && read.size_max == 1000);
    FUZZ_REQUIRE(read.expires_ms == policy.expires_ms);
    spoilt %= list.count;
    copy = arena_printf(arena, "%sx", fields[spoilt].value);
    copy[key[0] % strlen(copy)] ^= 2;
    fields[spoilt].value = copy;
    FUZZ_REQUIRE(post_policy_check(&signer, &list, bucket, now_ms, arena, &read, &err) < 0);
    json_decref(json);
}

int fuzz_post_policy(const uint8_t *data, size_t size)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct field_list list = read_fields(arena, data, size);
    const struct form_field *fields = list.items;

    sign(arena, &list);
    check_form(arena, &list);
    if (list.count > 0)
        check_own(arena, fields[0].name, fields[0].value, size);
    return 0;
}

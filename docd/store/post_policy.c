/* post_policy.c - see post_policy.h. */
#include "docd/store/post_policy.h"

#include <sodium.h>
#include <string.h>
#include <strings.h>

#include "common/base/clock.h"
#include "common/wire/codec.h"

enum { POLICY_MAX = 16 * 1024 };

static const char algorithm[] = SIGV4_ALGORITHM;

static char *to_base64(const char *text, struct arena *arena)
{
    size_t size = strlen(text),
           room = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);

    return sodium_bin2base64(arena_alloc(arena, room), room, (const uint8_t *)text, size,
                             sodium_base64_VARIANT_ORIGINAL);
}

const char *post_policy_sign(const struct sigv4_signer *signer, const struct post_policy *policy,
                             int64_t now_ms, struct arena *arena)
{
    char stamp[SIGV4_STAMP_SIZE], expiration[25], signature[SIGV4_SIGNATURE_SIZE];
    json_auto_t *json = NULL, *form = NULL;
    const char *by, *encoded;

    sigv4_stamp(now_ms, stamp);
    clock_format_iso(policy->expires_ms, expiration);
    by = sigv4_credential(signer, stamp, arena);
    json = json_pack("{s:s, s:[{s:s}, {s:s}, {s:s}, [s, I, I], {s:s}, {s:s}, {s:s}]}", "expiration",
                     expiration, "conditions", "key", policy->key, "bucket", policy->bucket,
                     "Content-Type", policy->content_type, "content-length-range",
                     (json_int_t)policy->size_min, (json_int_t)policy->size_max, "x-amz-algorithm",
                     algorithm, "x-amz-credential", by, "x-amz-date", stamp);
    encoded = to_base64(codec_dump_json(arena, json), arena);
    sigv4_sign(signer, stamp, encoded, signature);
    form = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "key", policy->key, "bucket",
                     policy->bucket, "policy", encoded, "x-amz-algorithm", algorithm,
                     "x-amz-credential", by, "x-amz-date", stamp, "x-amz-signature", signature,
                     "Content-Type", policy->content_type);
    return codec_dump_json(arena, form);
}

static int refuse(struct error *err, const char *why)
{
    (void)error_set(err, ERR_FORBIDDEN,
                    "The upload form is invalid or has expired. Request a new one.");
    return error_detail(err, "%s", why);
}

static const char *value_of(const struct field_list *fields, const char *name)
{
    const struct form_field *items = fields->items;

    for (size_t i = 0; i < fields->count; i++)
        if (strcasecmp(items[i].name, name) == 0)
            return items[i].value;
    return NULL;
}

static bool value_is(const struct field_list *fields, const char *name, const char *want)
{
    const char *value = value_of(fields, name);

    return value && strcmp(value, want) == 0;
}

static bool has_twins(const struct field_list *fields)
{
    const struct form_field *items = fields->items;

    for (size_t i = 0; i < fields->count; i++)
        for (size_t k = i + 1; k < fields->count; k++)
            if (strcasecmp(items[i].name, items[k].name) == 0)
                return true;
    return false;
}

static int check_signature(const struct sigv4_signer *signer, const struct field_list *fields,
                           struct arena *arena, struct error *err)
{
    const char *policy = value_of(fields, "policy"), *stamp = value_of(fields, "x-amz-date");
    const char *given = value_of(fields, "x-amz-signature");
    char signature[SIGV4_SIGNATURE_SIZE];

    if (has_twins(fields))
        return refuse(err, "a field stands twice");
    if (!policy || !stamp || !given || strlen(stamp) != SIGV4_STAMP_SIZE - 1 ||
        strlen(given) != SIGV4_SIGNATURE_SIZE - 1 ||
        !value_is(fields, "x-amz-algorithm", algorithm))
        return refuse(err, "it is not signed");
    if (!value_is(fields, "x-amz-credential", sigv4_credential(signer, stamp, arena)))
        return refuse(err, "signed with another credential");
    sigv4_sign(signer, stamp, policy, signature);
    if (sodium_memcmp(signature, given, SIGV4_SIGNATURE_SIZE - 1) != 0)
        return refuse(err, "the signature is another policy's");
    return 0;
}

static json_t *policy_json(const char *encoded, struct arena *arena)
{
    size_t length = strlen(encoded), size = 0;
    uint8_t *text = arena_alloc(arena, length + 1);
    struct error ignored;

    error_init(&ignored, NULL);
    if (length > POLICY_MAX || sodium_base642bin(text, length, encoded, length, NULL, &size, NULL,
                                                 sodium_base64_VARIANT_ORIGINAL) != 0)
        return NULL;
    return codec_parse_json((const char *)text, size, true, &ignored);
}

/* Checks {"name": "value"}; "bucket" must also be where the form was posted. */
static bool meets_equal(const json_t *condition, const struct field_list *fields,
                        const char *bucket, const char **ret_name)
{
    const char *name = json_object_iter_key(json_object_iter((json_t *)(uintptr_t)condition));
    const char *want = name ? json_string_value(json_object_get(condition, name)) : NULL;

    *ret_name = name;
    if (!want || json_object_size(condition) != 1)
        return false;
    if (strcasecmp(name, "bucket") == 0 && strcmp(bucket, want) != 0)
        return false;
    return value_is(fields, name, want);
}

/* ["content-length-range", min, max] */
static bool read_size_range(const json_t *condition, struct post_policy *ret)
{
    const char *name = json_string_value(json_array_get(condition, 0));

    if (!name || strcmp(name, "content-length-range") != 0 || json_array_size(condition) != 3)
        return false;
    ret->size_min = json_integer_value(json_array_get(condition, 1));
    ret->size_max = json_integer_value(json_array_get(condition, 2));
    return ret->size_min >= 0 && ret->size_min <= ret->size_max;
}

/* Checks that every condition holds, and that every field has one. */
static int check_conditions(const json_t *conditions, const struct field_list *fields,
                            const char *bucket, struct post_policy *ret, struct error *err)
{
    static const char *const free_fields[] = {"policy", "x-amz-signature"};
    const char *name;
    size_t i, met = 0;
    json_t *each;

    for (i = 0; i < ARRAY_SIZE(free_fields); i++)
        met += value_of(fields, free_fields[i]) != NULL;
    json_array_foreach(conditions, i, each)
    {
        if (json_is_array(each) ? !read_size_range(each, ret)
                                : !meets_equal(each, fields, bucket, &name))
            return refuse(err, "a condition does not hold");
        met += json_is_object(each);
    }
    return met == fields->count ? 0 : refuse(err, "there is another field");
}

int post_policy_check(const struct sigv4_signer *signer, const struct field_list *fields,
                      const char *bucket, int64_t now_ms, struct arena *arena,
                      struct post_policy *ret, struct error *err)
{
    json_auto_t *policy = NULL;
    const char *expiration;

    *ret = (struct post_policy){.size_max = -1};
    if (check_signature(signer, fields, arena, err) < 0)
        return -1;
    policy = policy_json(value_of(fields, "policy"), arena);
    expiration = json_string_value(json_object_get(policy, "expiration"));
    if (!expiration || clock_parse_iso(expiration, &ret->expires_ms) < 0)
        return refuse(err, "not a policy");
    if (ret->expires_ms <= now_ms)
        return refuse(err, "it has expired");
    if (check_conditions(json_object_get(policy, "conditions"), fields, bucket, ret, err) < 0)
        return -1;
    if (ret->size_max < 0)
        return refuse(err, "it does not say how large the file may be");
    ret->bucket = bucket;
    ret->key = value_of(fields, "key");
    ret->content_type = value_of(fields, "Content-Type");
    return ret->key ? 0 : refuse(err, "it names no object");
}

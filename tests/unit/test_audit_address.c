/*
 * test_audit_address.c - the client's network address in an audit row: sealed for a known account,
 * open for none, left out if sealing is impossible.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "common/service/audit.h"
#include "common/service/audit_address.h"
#include "common/service/audit_fhir.h"
#include "tests/support/unit.h"

#define ONE "11111111-1111-4111-8111-111111111111"
#define TWO "22222222-2222-4222-8222-222222222222"
#define SEALED "\"addressSealed\":\""

static struct arena *arena;

static struct keys {
    const char *public_key;
    struct secret secret;
} one, two;

static struct request request_of(const struct caller *caller)
{
    return (struct request){.arena = arena,
                            .caller = caller,
                            .service = "gateway",
                            .trace = "t",
                            .address = "192.0.2.7",
                            .now_ms = 1000};
}

static const char *event_of(const struct request *req, struct uuid account)
{
    return audit_row(req, &(struct audit){.action = "thing.create", .account = account}).event;
}

static bool is_sealed_for(const char *event, const char *account, const struct keys *keys)
{
    struct audit_sealed sealed = {.sealed = NULL};
    const char *address;

    if (!audit_sealed_of(arena, event, &sealed) || strcmp(sealed.account.text, account) != 0 ||
        strstr(event, "192.0.2.7"))
        return UNIT_CHECK(false, "%s", event);
    address = audit_address_open(arena, keys->public_key, &keys->secret, sealed.sealed);
    return UNIT_CHECK(address && strcmp(address, "192.0.2.7") == 0, "%s",
                      address ? address : "does not open");
}

static void what_is_sealed_is_opened_by_its_key_only(void)
{
    static const char *const addresses[] = {"192.0.2.7", "0.0.0.0", "2001:db8::1",
                                            "2001:db8:1:2:3:4:5:6"};

    for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
        const char *sealed = audit_address_seal(arena, one.public_key, addresses[i]);
        const char *again = audit_address_seal(arena, one.public_key, addresses[i]);
        const char *opened = audit_address_open(arena, one.public_key, &one.secret, sealed);

        UNIT_CHECK(opened && strcmp(opened, addresses[i]) == 0, "%s: %s", addresses[i], opened);
        CU_ASSERT_EQUAL(strlen(sealed), AUDIT_ADDRESS_SEALED_TEXT);
        CU_ASSERT_STRING_NOT_EQUAL(sealed, again);
        CU_ASSERT_PTR_NULL(audit_address_open(arena, two.public_key, &two.secret, sealed));
        CU_ASSERT_PTR_NULL(audit_address_open(arena, one.public_key, &two.secret, sealed));
    }
}

static void what_was_altered_does_not_open(void)
{
    char *sealed = arena_strdup(arena, audit_address_seal(arena, one.public_key, "192.0.2.7"));

    for (size_t i = 0; i < strlen(sealed); i += 17) {
        char kept = sealed[i];

        sealed[i] = kept == 'A' ? 'B' : 'A';
        CU_ASSERT_PTR_NULL(audit_address_open(arena, one.public_key, &one.secret, sealed));
        sealed[i] = kept;
    }
    CU_ASSERT_PTR_NULL(audit_address_open(arena, one.public_key, &one.secret, ""));
    CU_ASSERT_PTR_NULL(audit_address_open(arena, one.public_key, &one.secret, sealed + 1));
    CU_ASSERT_PTR_NULL(audit_address_open(arena, "key", &one.secret, sealed));
}

static void what_is_no_key_or_no_address_is_not_sealed(void)
{
    CU_ASSERT_PTR_NULL(audit_address_seal(arena, "key", "192.0.2.7"));
    CU_ASSERT_PTR_NULL(audit_address_seal(arena, "", "192.0.2.7"));
    CU_ASSERT_PTR_NULL(audit_address_seal(arena, one.public_key, "a host"));
}

static void the_address_of_a_caller_is_sealed_for_the_caller(void)
{
    const struct caller caller = {
        .account = {ONE}, .role = ROLE_PATIENT, .addressKey = one.public_key};
    const struct request req = request_of(&caller);

    is_sealed_for(event_of(&req, (struct uuid){""}), ONE, &one);
    is_sealed_for(event_of(&req, (struct uuid){TWO}), ONE, &one);
}

/* When a request has no caller, the address is sealed for the account that the request has found,
 * or for each of several. */
static void a_sign_in_is_sealed_for_the_account_it_is_about(void)
{
    const struct address_key first = {{ONE}, one.public_key, NULL};
    const struct address_key second = {{TWO}, two.public_key, &first};
    const struct address_key *found = &second;
    struct request req = request_of(NULL);

    req.addressKeys = &found;
    is_sealed_for(event_of(&req, (struct uuid){ONE}), ONE, &one);
    is_sealed_for(event_of(&req, (struct uuid){TWO}), TWO, &two);
}

static void without_an_account_it_is_open(void)
{
    const struct caller key = {.profile = {ONE}, .role = ROLE_DEVICE};
    struct request req = request_of(NULL);

    CU_ASSERT_PTR_NOT_NULL(strstr(event_of(&req, (struct uuid){""}), "\"address\":\"192.0.2.7\""));
    req = request_of(&key);
    CU_ASSERT_PTR_NOT_NULL(strstr(event_of(&req, (struct uuid){TWO}), "\"address\":\"192.0.2.7\""));
}

static void without_a_key_it_is_left_out(void)
{
    const struct caller none = {.account = {ONE}, .role = ROLE_PATIENT};
    const struct caller broken = {.account = {ONE}, .role = ROLE_PATIENT, .addressKey = "key"};
    const struct address_key other = {{TWO}, two.public_key, NULL}, *found = &other;
    struct request reqs[] = {request_of(&none), request_of(&broken), request_of(NULL),
                             request_of(NULL)};

    reqs[3].addressKeys = &found;
    for (size_t i = 0; i < ARRAY_SIZE(reqs); i++) {
        const char *event = event_of(&reqs[i], (struct uuid){ONE});

        UNIT_CHECK(!strstr(event, "address"), "%zu: %s", i, event);
    }
}

/* A daemon's request to another has no address in the other's row; the first daemon's own row has
 * it. */
static void what_a_daemon_asks_of_another_has_none(void)
{
    struct request req = request_of(NULL);

    req.service = "settingsd";
    CU_ASSERT_PTR_NULL(strstr(event_of(&req, (struct uuid){""}), "address"));
}

static void a_reader_sees_the_address_or_why_not(void)
{
    const struct caller caller = {
        .account = {ONE}, .role = ROLE_PATIENT, .addressKey = one.public_key};
    const struct request req = request_of(&caller);
    const char *event = event_of(&req, (struct uuid){""});
    const struct {
        const char *label, *event, *has, *lacks;
    } rows[] = {
        {"opened", audit_address_show(arena, event, "192.0.2.7"), "\"network\"", "erased"},
        {"erased", audit_address_show(arena, event, ""), "\"valueString\": \"erased\"", "network"},
        {"sealed", event, "\"valueString\": \"sealed\"", "network"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct audit_record record = {.sequence = 3, .event = rows[i].event};
        json_auto_t *resource = audit_fhir_event("authd", &record, arena);
        char *text = json_dumps(resource, 0);

        UNIT_CHECK(strstr(text, rows[i].has) && !strstr(text, rows[i].lacks), "%s: %s",
                   rows[i].label, text);
        free(text);
    }
    CU_ASSERT_PTR_NULL(strstr(rows[0].event, SEALED));
}

static void keys_are_made(void)
{
    arena = arena_new();
    CU_ASSERT_EQUAL_FATAL(MIN(sodium_init(), 0), 0);
    one.public_key = audit_address_key_new(arena, &one.secret);
    two.public_key = audit_address_key_new(arena, &two.secret);
    CU_ASSERT_EQUAL(strlen(one.public_key), AUDIT_ADDRESS_KEY_TEXT);
}

static void keys_are_wiped(void)
{
    secret_wipe(&one.secret);
    secret_wipe(&two.secret);
    arena_destroy(&arena);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(keys_are_made),
    CASE(what_is_sealed_is_opened_by_its_key_only),
    CASE(what_was_altered_does_not_open),
    CASE(what_is_no_key_or_no_address_is_not_sealed),
    CASE(the_address_of_a_caller_is_sealed_for_the_caller),
    CASE(a_sign_in_is_sealed_for_the_account_it_is_about),
    CASE(without_an_account_it_is_open),
    CASE(without_a_key_it_is_left_out),
    CASE(what_a_daemon_asks_of_another_has_none),
    CASE(a_reader_sees_the_address_or_why_not),
    CASE_ALWAYS(keys_are_wiped),
};

int main(void)
{
    return unit_run("audit address", cases, ARRAY_SIZE(cases));
}

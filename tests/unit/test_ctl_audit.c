/*
 * test_ctl_audit.c - detection of tampering in the audit chain, and a row's AuditEvent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/service/audit_fhir.h"
#include "ctl/audit/audit_walk.h"
#include "tests/support/unit.h"

#define ONE "11111111-1111-4111-8111-111111111111"
#define TWO "22222222-2222-4222-8222-222222222222"

enum { ROWS = 20, ROOM = 32, HASHES = 64, PAGE = 5 };

struct trail {
    struct audit_record rows[ROOM];
    size_t count;
    struct audit_gap gaps[4];
    size_t gap_count;
    int64_t sequence;
    struct field_bytes hash;
    int64_t kept_sequence;
    struct field_bytes kept_hash;
    struct arena *arena;
};

static void seal(struct trail *self, size_t from)
{
    for (size_t i = from; i < self->count; i++) {
        struct field_bytes previous = {NULL, 0};
        uint8_t *hash = arena_alloc(self->arena, AUDIT_HASH_SIZE);

        if (i > 0)
            previous = self->rows[i - 1].hash;
        self->rows[i].sequence = i > 0 ? self->rows[i - 1].sequence + 1 : 1;
        audit_hash(&self->rows[i], previous, hash);
        self->rows[i].hash = (struct field_bytes){hash, AUDIT_HASH_SIZE};
    }
    self->sequence = self->rows[self->count - 1].sequence;
    self->hash = self->rows[self->count - 1].hash;
}

static void make(struct trail *self, struct arena *arena)
{
    *self = (struct trail){.count = ROWS, .arena = arena};
    for (size_t i = 0; i < ROWS; i++)
        self->rows[i] = (struct audit_record){
            .id = (int64_t)(100 + i),
            .at = 1000,
            .project = i % 2 ? (struct uuid){ONE} : (struct uuid){""},
            .entity = i % 3 ? "Thing/1" : NULL,
            .event = arena_printf(arena, "{\"action\":\"thing.create\",\"n\":%zu}", i),
        };
    seal(self, 0);
}

static void remove_rows(struct trail *self, size_t at, size_t count)
{
    memmove(&self->rows[at], &self->rows[at + count],
            (self->count - at - count) * sizeof(self->rows[0]));
    self->count -= count;
}

static void insert_row(struct trail *self, size_t at, struct audit_record row)
{
    memmove(&self->rows[at + 1], &self->rows[at], (self->count - at) * sizeof(self->rows[0]));
    self->rows[at] = row;
    self->count++;
}

static void swap_rows(struct trail *self, size_t a, size_t b, bool hashes)
{
    struct audit_record first = self->rows[a], second = self->rows[b];

    self->rows[a] = second;
    self->rows[b] = first;
    self->rows[a].sequence = first.sequence;
    self->rows[b].sequence = second.sequence;
    if (!hashes) {
        self->rows[a].hash = first.hash;
        self->rows[b].hash = second.hash;
    }
}

static void nothing(struct trail *self UNUSED)
{
}

static void alter_event(struct trail *self)
{
    self->rows[7].event = "{}";
}

static void alter_time(struct trail *self)
{
    self->rows[7].at++;
}

static void alter_project(struct trail *self)
{
    self->rows[7].project = (struct uuid){TWO};
}

static void forget_project(struct trail *self)
{
    self->rows[7].project = (struct uuid){""};
}

static void alter_entity(struct trail *self)
{
    self->rows[7].entity = "";
}

static void alter_id(struct trail *self)
{
    self->rows[7].id = 1;
}

static void alter_hash(struct trail *self)
{
    self->rows[7].hash = self->rows[6].hash;
}

static void cut_hash(struct trail *self)
{
    self->rows[7].hash.size = 31;
}

static void alter_last(struct trail *self)
{
    self->rows[ROWS - 1].event = "{}";
}

/* Recomputes the row's own hash, so only the next one reveals it. */
static void alter_and_seal_one(struct trail *self)
{
    struct field_bytes next = self->rows[8].hash;

    self->rows[7].event = "{}";
    seal(self, 7);
    self->rows[8].hash = next;
}

static void alter_and_seal_all(struct trail *self)
{
    self->rows[7].event = "{}";
    seal(self, 7);
}

static void keep_end(struct trail *self)
{
    self->kept_sequence = 12;
    self->kept_hash = self->rows[11].hash;
}

static void keep_and_seal_all(struct trail *self)
{
    keep_end(self);
    alter_and_seal_all(self);
}

static void keep_and_cut(struct trail *self)
{
    keep_end(self);
    self->count = 10;
    seal(self, 9);
}

static void alter_end(struct trail *self)
{
    self->hash = self->rows[3].hash;
}

static void remove_one(struct trail *self)
{
    remove_rows(self, 7, 1);
}

static void remove_first(struct trail *self)
{
    remove_rows(self, 0, 2);
}

static void remove_last(struct trail *self)
{
    self->count = ROWS - 1;
}

static void remove_all(struct trail *self)
{
    self->count = 0;
}

static void remove_and_count_anew(struct trail *self)
{
    remove_rows(self, 7, 1);
    for (size_t i = 7; i < self->count; i++)
        self->rows[i].sequence--;
    self->sequence--;
}

static void swap_neighbours(struct trail *self)
{
    swap_rows(self, 6, 7, true);
}

static void swap_contents(struct trail *self)
{
    swap_rows(self, 6, 7, false);
}

static void swap_distant(struct trail *self)
{
    swap_rows(self, 5, 8, true);
}

static void swap_last(struct trail *self)
{
    swap_rows(self, ROWS - 2, ROWS - 1, true);
}

static void insert_twin(struct trail *self)
{
    struct audit_record row = self->rows[7];

    row.id = 1000;
    insert_row(self, 8, row);
}

static void insert_before(struct trail *self)
{
    struct audit_record row = self->rows[7];

    row.id = 1;
    insert_row(self, 7, row);
}

static void insert_between_pages(struct trail *self)
{
    struct audit_record row = self->rows[PAGE - 1];

    row.id = 1000;
    insert_row(self, PAGE, row);
}

static void insert_and_count_anew(struct trail *self)
{
    struct audit_record row = self->rows[7];

    row.event = "{}";
    row.id = 1000;
    insert_row(self, 7, row);
    for (size_t i = 8; i < self->count; i++)
        self->rows[i].sequence++;
    self->sequence++;
}

static void append(struct trail *self)
{
    int64_t sequence = self->sequence;
    struct field_bytes hash = self->hash;

    self->rows[self->count] = self->rows[3];
    self->count++;
    seal(self, ROWS);
    self->sequence = sequence;
    self->hash = hash;
}

static void add_gap(struct trail *self, size_t first, size_t last)
{
    self->gaps[self->gap_count++] =
        (struct audit_gap){(int64_t)first + 1, (int64_t)last + 1, self->rows[last].hash};
}

static void drop_first(struct trail *self)
{
    add_gap(self, 0, 6);
    remove_rows(self, 0, 7);
}

static void drop_between(struct trail *self)
{
    add_gap(self, 3, 5);
    add_gap(self, 6, 6);
    add_gap(self, 10, 12);
    remove_rows(self, 10, 3);
    remove_rows(self, 3, 4);
}

static void drop_last(struct trail *self)
{
    add_gap(self, 15, ROWS - 1);
    self->count = 15;
}

static void drop_all(struct trail *self)
{
    add_gap(self, 0, ROWS - 1);
    self->count = 0;
}

static void drop_and_remove(struct trail *self)
{
    add_gap(self, 3, 5);
    remove_rows(self, 3, 4);
}

static void drop_with_another_hash(struct trail *self)
{
    add_gap(self, 3, 5);
    self->gaps[0].hash = self->rows[0].hash;
    remove_rows(self, 3, 3);
}

static const struct {
    const char *label;
    void (*fn)(struct trail *self);
    const char *kind; /* NULL: sound */
    int64_t sequence;
    int64_t dropped;
} tampers[] = {
    {"nothing", nothing, NULL, 0, 0},
    {"event altered", alter_event, "altered", 8, 0},
    {"time altered", alter_time, "altered", 8, 0},
    {"project altered", alter_project, "altered", 8, 0},
    {"project taken away", forget_project, "altered", 8, 0},
    {"entity altered", alter_entity, "altered", 8, 0},
    {"id altered", alter_id, "altered", 8, 0},
    {"hash altered", alter_hash, "altered", 8, 0},
    {"hash cut", cut_hash, "altered", 8, 0},
    {"last row altered", alter_last, "altered", ROWS, 0},
    {"altered with its hash", alter_and_seal_one, "altered", 9, 0},
    {"everything made anew: nobody can tell", alter_and_seal_all, NULL, 0, 0},
    {"everything made anew, an end was kept", keep_and_seal_all, "altered", 12, 0},
    {"an end was kept", keep_end, NULL, 0, 0},
    {"cut behind what was kept", keep_and_cut, "removed", 11, 0},
    {"end altered", alter_end, "altered", ROWS, 0},
    {"one removed", remove_one, "removed", 8, 0},
    {"the first removed", remove_first, "removed", 1, 0},
    {"the last removed", remove_last, "removed", ROWS, 0},
    {"all removed", remove_all, "removed", 1, 0},
    {"removed and counted anew", remove_and_count_anew, "altered", 8, 0},
    {"neighbours swapped", swap_neighbours, "reordered", 7, 0},
    {"contents swapped", swap_contents, "reordered", 7, 0},
    {"distant rows swapped", swap_distant, "reordered", 6, 0},
    {"the last swapped", swap_last, "reordered", ROWS - 1, 0},
    {"a second in the same place", insert_twin, "inserted", 8, 0},
    {"a second before it", insert_before, "inserted", 8, 0},
    {"a second between two pages", insert_between_pages, "inserted", PAGE, 0},
    {"put in and counted anew", insert_and_count_anew, "inserted", 8, 0},
    {"put behind the end", append, "inserted", ROWS + 1, 0},
    {"the first dropped", drop_first, NULL, 0, 7},
    {"stretches dropped", drop_between, NULL, 0, 7},
    {"the last dropped", drop_last, NULL, 0, 5},
    {"all dropped", drop_all, NULL, 0, ROWS},
    {"more removed than dropped", drop_and_remove, "removed", 7, 3},
    {"dropped with another hash", drop_with_another_hash, "altered", 7, 3},
};

/* Returns up to `room` rows after `after`, like a daemon. */
static void page_of(struct trail *self, int64_t after, size_t room, struct field_list *ret_rows,
                    struct field_list *ret_gaps)
{
    size_t first = 0, gap = 0;

    while (first < self->count && self->rows[first].sequence <= after)
        first++;
    while (gap < self->gap_count && self->gaps[gap].last <= after)
        gap++;
    *ret_rows = (struct field_list){&self->rows[first], MIN(room, self->count - first)};
    *ret_gaps = (struct field_list){&self->gaps[gap], self->gap_count - gap};
}

static struct audit_walk walk(struct trail *trail, size_t room)
{
    struct audit_walk self = {.kept_sequence = trail->kept_sequence, .kept_hash = trail->kept_hash};
    bool more = true, sound = true;
    struct field_list rows, gaps;

    for (int page = 0; more && sound && page <= 2 * ROOM; page++) {
        page_of(trail, audit_walk_after(&self), room, &rows, &gaps);
        sound = audit_walk_page(&self, &rows, &gaps, &more);
    }
    if (sound)
        audit_walk_end(&self, trail->sequence, trail->hash);
    return self;
}

static void test_tampering_is_seen(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(tampers); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct trail trail;
        struct audit_walk found;
        const char *kind;

        make(&trail, arena);
        tampers[i].fn(&trail);
        found = walk(&trail, 1000);
        kind = found.fault.kind ? found.fault.kind : "sound";
        UNIT_CHECK(strcmp(kind, tampers[i].kind ? tampers[i].kind : "sound") == 0 &&
                       found.fault.sequence == tampers[i].sequence &&
                       found.dropped == tampers[i].dropped,
                   "%s: %s at %lld, %lld dropped", tampers[i].label, kind,
                   (long long)found.fault.sequence, (long long)found.dropped);
        UNIT_CHECK(found.fault.kind || found.rows == (int64_t)trail.count, "%s: %lld rows",
                   tampers[i].label, (long long)found.rows);
    }
}

/* Any page size finds the fault; its kind is known only if both rows are on one page. */
static void test_pages_do_not_matter(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(tampers); i++) {
        for (size_t room = 2; room <= PAGE + 1; room++) {
            CLEANUP(arena_destroy) struct arena *arena = arena_new();
            struct trail trail;
            struct audit_walk found;

            make(&trail, arena);
            tampers[i].fn(&trail);
            found = walk(&trail, room);
            UNIT_CHECK(!found.fault.kind == !tampers[i].kind &&
                           found.fault.sequence == tampers[i].sequence,
                       "%s, pages of %zu: fault at %lld", tampers[i].label, room,
                       (long long)found.fault.sequence);
        }
    }
}

static const char *coded(const json_t *event, const char *path, size_t at)
{
    const json_t *value = json_object_get(event, path);

    if (json_is_array(value))
        value = json_array_get(value, at);
    return json_string_value(json_object_get(value, "code"));
}

static void test_an_event_says_what_happened(void)
{
    static const struct {
        const char *event, *type, *subtype, *action, *outcome;
    } rows[] = {
        {"{\"action\":\"session.create\",\"outcome\":\"success\"}", "110114", "110122", "E", "0"},
        {"{\"action\":\"session.create\",\"outcome\":\"failure\",\"detail\":\"password\"}",
         "110114", "110122", "E", "4"},
        {"{\"action\":\"session.create\",\"outcome\":\"failure\",\"detail\":\"replay\"}", "110114",
         "110122", "E", "8"},
        {"{\"action\":\"session.end\",\"outcome\":\"success\"}", "110114", "110123", "E", "0"},
        {"{\"action\":\"account.register\",\"outcome\":\"success\"}", "110114", "110122", "C", "0"},
        {"{\"action\":\"password.change\",\"outcome\":\"success\"}", "110113", "110137", "U", "0"},
        {"{\"action\":\"mfa.disable\",\"outcome\":\"success\"}", "110113", "110137", "D", "0"},
        {"{\"action\":\"key.create\",\"outcome\":\"success\"}", "110113", "key.create", "C", "0"},
        {"{\"action\":\"policy.create\",\"outcome\":\"success\"}", "originate", "policy.create",
         "C", "0"},
        {"{\"action\":\"setting.write\",\"outcome\":\"success\"}", "amend", "setting.write", "U",
         "0"},
        {"{\"action\":\"client.delete\",\"outcome\":\"success\"}", "destroy", "client.delete", "D",
         "0"},
        {"{\"action\":\"mail.send\",\"outcome\":\"failure\"}", "transmit", "mail.send", "E", "4"},
        {"{\"action\":\"document.read\",\"outcome\":\"success\"}", "access", "document.read", "R",
         "0"},
        {"not json", "amend", "unknown", "U", "0"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct audit_record record = {.sequence = 3, .event = rows[i].event};
        json_auto_t *event = audit_fhir_event("authd", &record, arena);

        UNIT_CHECK(
            strcmp(coded(event, "type", 0), rows[i].type) == 0 &&
                strcmp(coded(event, "subtype", 0), rows[i].subtype) == 0 &&
                strcmp(json_string_value(json_object_get(event, "action")), rows[i].action) == 0 &&
                strcmp(json_string_value(json_object_get(event, "outcome")), rows[i].outcome) == 0,
            "%s: %s %s", rows[i].event, coded(event, "type", 0), coded(event, "subtype", 0));
    }
}

static void test_an_event_says_who_and_about_what(void)
{
    static const char person[] =
        "{\"action\":\"setting.write\",\"outcome\":\"success\",\"account\":\"" ONE
        "\",\"agent\":{\"account\":\"" ONE "\",\"membership\":\"" TWO
        "\",\"profile\":\"Practitioner/" TWO "\",\"service\":\"gateway\"},"
        "\"address\":\"192.0.2.1\",\"trace\":\"t\",\"detail\":\"PATIENT_APP_URL\"}";
    const struct audit_record record = {.sequence = 7,
                                        .at = 1767225600000,
                                        .project = {ONE},
                                        .entity = "Project/" ONE,
                                        .event = person};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    json_auto_t *event = audit_fhir_event("settingsd", &record, arena);
    const char *id, *recorded, *who, *membership, *address, *network, *observer, *system, *value,
        *name;
    int requestor;

    UNIT_REQUIRE(json_unpack(event,
                             "{s:s, s:s, s:[{s:{s:s}, s:s, s:b, s:{s:s, s:s}}], s:{s:{s:s}}, "
                             "s:[{s:{s:{s:s, s:s}}, s:s}]}",
                             "id", &id, "recorded", &recorded, "agent", "who", "reference", &who,
                             "altId", &membership, "requestor", &requestor, "network", "address",
                             &address, "type", &network, "source", "observer", "display", &observer,
                             "entity", "what", "identifier", "system", &system, "value", &value,
                             "name", &name) == 0,
                 "something is missing");
    CU_ASSERT_STRING_EQUAL(id, "settingsd-7");
    CU_ASSERT_STRING_EQUAL(recorded, "2026-01-01T00:00:00.000Z");
    CU_ASSERT_STRING_EQUAL(who, "Practitioner/" TWO);
    CU_ASSERT_STRING_EQUAL(membership, TWO);
    CU_ASSERT_TRUE(requestor);
    CU_ASSERT_STRING_EQUAL(address, "192.0.2.1");
    CU_ASSERT_STRING_EQUAL(network, "2");
    CU_ASSERT_STRING_EQUAL(observer, "atrium-settingsd");
    CU_ASSERT_STRING_EQUAL(system, "urn:ietf:rfc:3986");
    CU_ASSERT_STRING_EQUAL(value, "urn:uuid:" ONE);
    CU_ASSERT_STRING_EQUAL(name, "PATIENT_APP_URL");
}

static void test_an_event_has_a_url_of_its_own(void)
{
    static const uint8_t hash[AUDIT_HASH_SIZE] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    const struct audit_record record = {.event = "{}", .hash = {hash, sizeof(hash)}};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    CU_ASSERT_STRING_EQUAL(audit_fhir_url(&record, arena),
                           "urn:uuid:ffffffff-ffff-8fff-bfff-ffffffffff01");
}

static const struct unit_case cases[] = {
    CASE(test_tampering_is_seen),
    CASE(test_pages_do_not_matter),
    CASE(test_an_event_says_what_happened),
    CASE(test_an_event_says_who_and_about_what),
    CASE(test_an_event_has_a_url_of_its_own),
};

int main(void)
{
    return unit_run("ctl audit", cases, ARRAY_SIZE(cases));
}

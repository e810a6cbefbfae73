/*
 * test_docd_list_cache.c - docd's cache of document lists, and its keys.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "common/domain/reference.h"
#include "docd/document/list_cache.h"
#include "docd/document_api.h"
#include "tests/support/unit.h"

static struct list_key key_new(const struct document_sort *sort)
{
    return (struct list_key){
        .project = uuid_random(), .author = uuid_random(), .count = 20, .offset = 0, .sort = sort};
}

/* Makes a list of one document whose name has `size` bytes; the next list uses the same memory. */
static struct documents list_new(struct document *document, struct reference *author, size_t size)
{
    static char name[LIST_CACHE_LIST_BYTES + 1];

    memset(name, 'n', size);
    name[size] = '\0';
    *author = (struct reference){"Patient/1", "Ada"};
    *document = (struct document){.id = uuid_random(),
                                  .lastUpdated = 5,
                                  .author = author,
                                  .fileName = name,
                                  .contentType = "a/b",
                                  .size = -1};
    return (struct documents){.total = 7, .resources = {document, 1}};
}

static void test_a_list_is_kept_as_it_was(void)
{
    const struct document_sort sort = {{NULL}};
    struct list_cache *cache = list_cache_new(LIST_CACHE_BYTES);
    struct list_key key = key_new(&sort);
    struct document document;
    struct reference author;
    struct documents list = list_new(&document, &author, 3);
    const struct documents *kept;
    const struct document *item;

    CU_ASSERT_FALSE(list_cache_has(cache, &key));
    list_cache_put(cache, &key, 9, &list);
    document.fileName = author.display = "changed";
    document.size = 1;
    CU_ASSERT_TRUE(list_cache_has(cache, &key));
    CU_ASSERT_PTR_NULL(list_cache_get(cache, &key, 8));
    CU_ASSERT_PTR_NULL(list_cache_get(cache, &key, 10));
    kept = list_cache_get(cache, &key, 9);
    CU_ASSERT_PTR_NOT_NULL_FATAL(kept);
    CU_ASSERT_EQUAL(kept->total, 7);
    CU_ASSERT_EQUAL_FATAL(kept->resources.count, 1);
    item = kept->resources.items;
    CU_ASSERT_TRUE(uuid_equal(&item->id, &document.id));
    CU_ASSERT_EQUAL(item->lastUpdated, 5);
    CU_ASSERT_STRING_EQUAL(item->fileName, "nnn");
    CU_ASSERT_STRING_EQUAL(item->contentType, "a/b");
    CU_ASSERT_STRING_EQUAL(item->author->reference, "Patient/1");
    CU_ASSERT_STRING_EQUAL(item->author->display, "Ada");
    CU_ASSERT_EQUAL(item->size, -1);
    CU_ASSERT_PTR_NULL(item->publicToken);
    list_cache_destroy(&cache);
}

static void test_another_question_finds_nothing(void)
{
    const struct document_sort none = {{NULL}}, name = {{"fileName"}},
                               both = {{"fileName", "size"}};
    struct list_cache *cache = list_cache_new(LIST_CACHE_BYTES);
    struct list_key key = key_new(&name), others[6];
    struct document document;
    struct reference author;
    struct documents list = list_new(&document, &author, 3);

    list_cache_put(cache, &key, 9, &list);
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        others[i] = key;
    others[0].project = uuid_random();
    others[1].author = uuid_random();
    others[2].count = 21;
    others[3].offset = 20;
    others[4].sort = &none;
    others[5].sort = &both;
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        UNIT_CHECK(!list_cache_get(cache, &others[i], 9), "%zu", i);
    CU_ASSERT_PTR_NOT_NULL(list_cache_get(cache, &key, 9));
    list_cache_destroy(&cache);
}

static void test_the_least_used_lists_leave_and_large_ones_stay_out(void)
{
    enum { EACH = 10000, FIT = 4, MANY = 40 };
    const struct document_sort sort = {{NULL}};
    struct list_cache *cache = list_cache_new(FIT * EACH + EACH / 2);
    struct list_key keys[MANY], huge = key_new(&sort), wide = key_new(&sort);
    struct document document;
    struct reference author;
    struct documents list = list_new(&document, &author, EACH - 600);
    size_t kept = 0;

    for (size_t i = 0; i < MANY; i++) {
        keys[i] = key_new(&sort);
        list_cache_put(cache, &keys[i], 9, &list);
        CU_ASSERT_PTR_NOT_NULL(list_cache_get(cache, &keys[0], 9)); /* marks it as used */
    }
    for (size_t i = 0; i < MANY; i++)
        kept += list_cache_get(cache, &keys[i], 9) != NULL;
    CU_ASSERT_EQUAL(kept, FIT);
    list_cache_put(cache, &keys[0], 10, &list); /* replaces its own entry */
    for (kept = 0; kept < FIT - 1 && list_cache_get(cache, &keys[MANY - 1 - kept], 9);)
        kept++;
    CU_ASSERT_EQUAL(kept, FIT - 1);

    list = list_new(&document, &author, FIT * EACH + EACH);
    list_cache_put(cache, &wide, 9, &list);
    CU_ASSERT_FALSE(list_cache_has(cache, &wide));
    CU_ASSERT_TRUE(list_cache_has(cache, &keys[0]));
    list_cache_destroy(&cache);

    cache = list_cache_new(LIST_CACHE_BYTES);
    list = list_new(&document, &author, LIST_CACHE_LIST_BYTES);
    list_cache_put(cache, &huge, 9, &list);
    CU_ASSERT_FALSE(list_cache_has(cache, &huge));
    list_cache_destroy(&cache);
}

static const struct unit_case cases[] = {
    CASE(test_a_list_is_kept_as_it_was),
    CASE(test_another_question_finds_nothing),
    CASE(test_the_least_used_lists_leave_and_large_ones_stay_out),
};

int main(void)
{
    return unit_run("docd list cache", cases, ARRAY_SIZE(cases));
}

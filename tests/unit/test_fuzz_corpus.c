/*
 * test_fuzz_corpus.c - runs each fuzz target's stored inputs without a fuzzer.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/support/unit.h"

enum { INPUT_MAX = 1024 * 1024 };

static const struct {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
} targets[] = {
    {"address", fuzz_address},
    {"attestation", fuzz_attestation},
    {"auth_data", fuzz_auth_data},
    {"body", fuzz_body},
    {"client_data", fuzz_client_data},
    {"config", fuzz_config},
    {"email", fuzz_email},
    {"fields", fuzz_fields},
    {"fold", fuzz_fold},
    {"frame", fuzz_frame},
    {"framing", fuzz_framing},
    {"header", fuzz_header},
    {"mask", fuzz_mask},
    {"msgpack", fuzz_msgpack},
    {"multipart", fuzz_multipart},
    {"page", fuzz_page},
    {"password_filter", fuzz_password_filter},
    {"password_list", fuzz_password_list},
    {"password_scheme", fuzz_password_scheme},
    {"post_policy", fuzz_post_policy},
    {"scim", fuzz_scim},
    {"target", fuzz_target},
    {"template", fuzz_template},
    {"token", fuzz_token},
    {"token_search", fuzz_token_search},
};

static void run_file(size_t target, const char *path)
{
    FILE *file = fopen(path, "re");
    uint8_t *bytes = malloc(INPUT_MAX);
    size_t size;

    UNIT_CHECK(file && bytes, "%s", path);
    size = file ? fread(bytes, 1, INPUT_MAX, file) : 0;
    fuzz_input_from(path);
    UNIT_CHECK(targets[target].run(bytes, size) == 0, "%s", path);
    fuzz_input_from(NULL);
    free(bytes);
    if (file)
        fclose(file);
}

static size_t run_folder(size_t target, const char *folder)
{
    char path[512];
    struct dirent *entry;
    size_t count = 0;
    DIR *dir;

    snprintf(path, sizeof(path), "tests/fuzz/%s/%s", folder, targets[target].name);
    dir = opendir(path);
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "tests/fuzz/%s/%s/%s", folder, targets[target].name,
                 entry->d_name);
        run_file(target, path);
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}

static void invariants_hold_for_every_stored_input(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        UNIT_CHECK(targets[i].run((const uint8_t *)"", 0) == 0, "%s", targets[i].name);
        UNIT_CHECK(run_folder(i, "corpus") > 0, "%s has no corpus", targets[i].name);
        (void)run_folder(i, "regression");
    }
}

static bool is_target(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
        if (strlen(targets[i].name) == length && memcmp(targets[i].name, name, length) == 0)
            return true;
    return false;
}

/* A target missing in the list above, or a directory with another name, would never be run. */
static void no_target_and_no_folder_of_inputs_is_forgotten(void)
{
    static const struct {
        const char *folder, *before, *after;
    } places[] = {
        {"tests/fuzz", "fuzz_", ".c"},
        {"tests/fuzz/corpus", "", ""},
        {"tests/fuzz/regression", "", ""},
        {"tests/fuzz/dict", "", ""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        DIR *dir = opendir(places[i].folder);
        struct dirent *entry;

        UNIT_REQUIRE(dir != NULL, "%s", places[i].folder);
        while ((entry = readdir(dir))) {
            size_t length = strlen(entry->d_name), before = strlen(places[i].before),
                   after = strlen(places[i].after);

            if (entry->d_name[0] == '.' || length <= before + after ||
                strncmp(entry->d_name, places[i].before, before) != 0 ||
                strcmp(entry->d_name + length - after, places[i].after) != 0)
                continue;
            UNIT_CHECK(is_target(entry->d_name + before, length - before - after), "%s/%s",
                       places[i].folder, entry->d_name);
        }
        closedir(dir);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(invariants_hold_for_every_stored_input),
        CASE(no_target_and_no_folder_of_inputs_is_forgotten),
    };

    return unit_run("fuzz corpus", cases, ARRAY_SIZE(cases));
}

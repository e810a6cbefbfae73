/*
 * people.c - the time of an admin's lists of a large project's people, for people.sh.
 *
 *     people URL PEOPLE ACCOUNTS LIMIT_MS TIMES
 *
 * seed.c has filled the suite with ACCOUNTS people of one tenant; PEOPLE starts with an admin.
 * Reads the list's pages of 100 people up to the middle, then sends each kind of request TIMES
 * times on one connection, with varying prefixes. Exits with 1 when a kind's 99th percentile
 * exceeds LIMIT_MS, 2 when a request failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/base.h"
#include "tests/support/bench.h"

#define ACCOUNTS "/v1/project/accounts"

enum { PATH_MAX_SIZE = BENCH_TOKEN_MAX + 128, PAGE = 100 };

struct bench {
    struct bench_client client;
    char access[BENCH_TOKEN_MAX];
    char middle[BENCH_TOKEN_MAX]; /* cursor */
    long accounts;
    double limit_ms;
    size_t times;
    bool slow;
};

struct times {
    int64_t *us;
    size_t count;
};

static NORETURN void die(const char *what, const char *why)
{
    fprintf(stderr, "people: %s: %s\n", what, why);
    exit(2);
}

static int64_t ask(struct bench *self, const char *path, const char *body)
{
    const char *access = body ? NULL : self->access;
    int64_t us = 0;
    long status = bench_client_ask(&self->client, path, body, access, &us);

    if (status != 200)
        die(path, status == 0 ? "no answer" : "not 200");
    return us;
}

/* Gets the admin's first access token with the file's refresh token. */
static void sign_in(struct bench *self, const char *people)
{
    FILE *file = fopen(people, "re");
    char refresh[BENCH_TOKEN_MAX], body[BENCH_TOKEN_MAX + 64];

    if (!file || fscanf(file, "%*s %*s %*s %4095s", refresh) != 1)
        die(people, "no first line");
    fclose(file);
    snprintf(body, sizeof(body), "{\"refresh_token\":\"%s\"}", refresh);
    ask(self, "/auth/refresh-token", body);
    if (!bench_client_text(&self->client, "access_token", self->access, sizeof(self->access)))
        die("/auth/refresh-token", "no token");
}

static struct times times_new(size_t most)
{
    struct times times = {.us = calloc(most, sizeof(*times.us))};

    if (!times.us)
        die("times", "none, or no memory");
    return times;
}

static void report(struct bench *self, const char *label, struct times *times)
{
    double p99_ms;

    bench_sort(times->us, times->count);
    p99_ms = (double)times->us[times->count * 99 / 100] / 1e3;
    printf("%-28s %7zu %9.2f %9.2f %9.2f   p99 < %.0f ms: %s\n", label, times->count,
           (double)times->us[times->count / 2] / 1e3, p99_ms,
           (double)times->us[times->count - 1] / 1e3, self->limit_ms,
           p99_ms < self->limit_ms ? "yes" : "NO");
    fflush(stdout);
    self->slow = self->slow || p99_ms >= self->limit_ms;
    free(times->us);
}

static void walk_to_the_middle(struct bench *self)
{
    size_t most = (size_t)self->accounts / 2 / PAGE;
    struct times times = times_new(most + 1);
    char path[PATH_MAX_SIZE];

    while (times.count <= most) {
        if (times.count == 0)
            snprintf(path, sizeof(path), ACCOUNTS "?_count=%d", PAGE);
        else
            snprintf(path, sizeof(path), ACCOUNTS "?_count=%d&_cursor=%s", PAGE, self->middle);
        times.us[times.count++] = ask(self, path, NULL);
        if (!bench_client_text(&self->client, "next", self->middle, sizeof(self->middle)))
            die(ACCOUNTS, "the list ends before its middle");
    }
    report(self, "100 people, to the middle", &times);
}

/* Returns a prefix of the n-th person's number, in varying lengths. */
static long number_of(const struct bench *self, size_t n)
{
    static const long cut[] = {1, 10, 100, 1000, 10000};

    return (long)((n * 7368787 + 12345) % (size_t)self->accounts) / cut[n % ARRAY_SIZE(cut)];
}

static void first_page(const struct bench *self UNUSED, size_t n UNUSED, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS);
}

static void middle_page(const struct bench *self, size_t n UNUSED, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?_cursor=%s", self->middle);
}

static void practitioners(const struct bench *self UNUSED, size_t n UNUSED, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?role=Practitioner");
}

static void locked(const struct bench *self UNUSED, size_t n UNUSED, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?state=locked");
}

static void practitioners_by_name(const struct bench *self UNUSED, size_t n UNUSED, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?role=Practitioner&sort=name");
}

static void newest_patients(const struct bench *self UNUSED, size_t n UNUSED, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?role=Patient&sort=newest");
}

static void with_factor(const struct bench *self UNUSED, size_t n UNUSED, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?role=Patient&sort=name&secondFactor=true");
}

static void admins(const struct bench *self UNUSED, size_t n UNUSED, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?admin=true");
}

static void by_address(const struct bench *self, size_t n, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?search=person%ld", number_of(self, n));
}

static void by_whole_address(const struct bench *self, size_t n, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?search=person%ld%%40seed.example",
             number_of(self, n * 5));
}

static void by_both_names(const struct bench *self, size_t n, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?search=Person%%20Number%%20%ld", number_of(self, n));
}

static void by_family_name(const struct bench *self, size_t n, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?search=number%%20%ld", number_of(self, n));
}

static void by_what_all_begin_with(const struct bench *self UNUSED, size_t n UNUSED, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?search=p");
}

static void by_what_none_begins_with(const struct bench *self, size_t n, char *path)
{
    snprintf(path, PATH_MAX_SIZE, ACCOUNTS "?search=absent%ld", number_of(self, n));
}

static const struct kind {
    const char *label;
    void (*path)(const struct bench *self, size_t n, char *path);
} kinds[] = {
    {"first page", first_page},
    {"page in the middle", middle_page},
    {"practitioners", practitioners},
    {"who is locked", locked},
    {"practitioners by name", practitioners_by_name},
    {"newest patients", newest_patients},
    {"patients with a factor", with_factor},
    {"admins", admins},
    {"search: address begins", by_address},
    {"search: whole address", by_whole_address},
    {"search: both names begin", by_both_names},
    {"search: family name begins", by_family_name},
    {"search: all begin so", by_what_all_begin_with},
    {"search: none begins so", by_what_none_begins_with},
};

static void measure(struct bench *self, const struct kind *kind)
{
    struct times times = times_new(self->times);
    char path[PATH_MAX_SIZE];

    while (times.count < self->times) {
        kind->path(self, times.count, path);
        times.us[times.count++] = ask(self, path, NULL);
    }
    report(self, kind->label, &times);
}

int main(int argc, char **argv)
{
    struct bench self = {.slow = false};

    if (argc != 6)
        die("usage", "people URL PEOPLE ACCOUNTS LIMIT_MS TIMES");
    bench_client_open(&self.client, argv[1]);
    self.accounts = strtol(argv[3], NULL, 10);
    self.limit_ms = strtod(argv[4], NULL);
    self.times = strtoul(argv[5], NULL, 10);
    sign_in(&self, argv[2]);
    printf("%-28s %7s %9s %9s %9s\n", "GET " ACCOUNTS, "times", "p50 ms", "p99 ms", "longest");
    walk_to_the_middle(&self);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        measure(&self, &kinds[i]);
    curl_easy_cleanup(self.client.curl);
    return self.slow ? 1 : 0;
}

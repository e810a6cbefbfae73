/*
 * chaos_private.h - chaos.h's client, shared by its files.
 */
#ifndef ATRIUM_TESTS_SUPPORT_CHAOS_PRIVATE_H
#define ATRIUM_TESTS_SUPPORT_CHAOS_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "tests/support/chaos.h"
#include "tests/support/unit.h"

enum {
    DOCUMENTS_MAX = 6,
    PAGES = 8,
    MAYBES = 8,
    TRIES = 400, /* attempts of a request, RETRY_MS apart: longer than any outage */
    RETRY_MS = 100,
    THINK_MS = 30,
};

enum op {
    REGISTER,
    SIGN_IN,
    BAD_PASSWORD,
    ME,
    REFRESH,
    LOGOUT,
    LOGGED_OUT,
    PASSWORD,
    DOCUMENT_MAKE,
    DOCUMENT_UPLOAD,
    DOCUMENT_READ,
    DOCUMENT_DELETE,
    DOCUMENT_GONE,
    BOT,
    SETTING_WRITE,
    SETTING_READ,
    PAGE_WRITE,
    PAGE_READ,
    PAGE_SEARCH,
    INVITE,
    MEMBERS,
    PROJECT,
    MAIL,
    OPS
};

/* A response's meaning: done, perhaps done, or wrong. */
enum told { GOOD, UNKNOWN, WRONG };

enum known { YES, MAYBE, NO };

/* A number stored in the suite: the acknowledged one, and those possibly written. */
struct value {
    int certain;
    struct {
        int number;
        int64_t until_ms;
    } maybe[MAYBES];
};

struct file {
    char id[40];
    unsigned seed;
    size_t size;
    enum known there;
};

struct someone {
    struct someone *next;
    char email[64];
    int password, maybe_password; /* passwords by number; 0: none */
    enum known registered;
    int changes, maybe_changes;
    bool rests;
    char *access, *refresh, *profile, *ended; /* ended: an access token after logout */
    struct file files[DOCUMENTS_MAX];
    size_t file_count;
};

struct invited {
    struct invited *next;
    char email[64];
    enum known known;
};

struct project {
    struct project *next;
    char code[40];
};

struct client {
    struct chaos *chaos;
    pthread_t thread;
    size_t number;
    unsigned seed;
    int counter;
    int64_t waiting_since_ms; /* since the first bad response; 0: not waiting */
    enum op waiting_for;
    struct someone *people; /* newest first */
    struct invited *invited;
    struct project *projects;
    char *access;
    struct value setting, pages[PAGES];
};

struct mail {
    char to[64], subject[32], id[128];
};

/* Values from the suite's dev.json, copied because the file changes when a daemon is killed. */
struct place {
    const char *url;
    char *tenant, *admin_email, *admin_password, *mail_dir;
};

struct chaos {
    struct place place;
    atomic_bool stop;
    struct client *clients;
    size_t count;
    pthread_mutex_t lock;
    struct {
        long requests, failed, wrong;
        double seconds, longest;
    } tally[OPS];
    struct chaos_result result;
    enum chaos_cause cause;
    struct mail *mails;
    size_t mail_count;
};

/* Returns a number below `sides` from the client's seed. */
int chaos_chance(struct client *self, int sides);

/* chaos_ask() sends a bearer token; chaos_ask_fresh() comes from a new client address, which no
 * limit affects yet. */
struct http_answer *chaos_ask(const struct client *self, const char *method, const char *path,
                              const char *bearer, json_t *body);
struct http_answer *chaos_ask_fresh(struct client *self, const char *path, json_t *body);

/* Counts a response and returns its meaning. right: it is as expected. */
enum told chaos_judge(struct client *self, enum op op, const struct http_answer *answer,
                      bool right);

/* Counts a check of state other than a response. */
void chaos_expect(struct client *self, enum op op, const char *who, bool right, const char *what);

/* Replaces a text by a copy; "" becomes NULL. */
void chaos_keep(char **text, const char *now);

void someone_lives(struct client *self);

/* Retries until a response. YES: signed in; NO: no such account, which is wrong if its registration
 * was acknowledged. */
enum known someone_signs_in(struct client *self, struct someone *who);

void file_read(struct client *self, const struct someone *who, const struct file *file);
void someone_free(struct someone *who);

void admin_signs_in(struct client *self);
void admin_works(struct client *self);

void setting_read(struct client *self);
void page_read(struct client *self, size_t page);
void page_search(struct client *self, size_t page);

/* Reads the emails in the directory, one per Message-ID. */
void chaos_read_mails(struct chaos *self);

void *chaos_read_back_thread(void *client);

#endif

/*
 * chaos_private.h - what the files of chaos.h share: a client, what it was told, and how it asks.
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
    TRIES = 400, /* of one request, RETRY_MS apart: longer than the longest outage */
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

/* What an answer says of a request: it was done, perhaps, or it should never have been said. */
enum told { GOOD, UNKNOWN, WRONG };

enum known { YES, MAYBE, NO };

/* A number that is kept by the suite: the one acknowledged, and those that were not but may have
 * been written. */
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
    int password, maybe_password; /* their numbers; 0: none */
    enum known registered;
    int changes, maybe_changes; /* of the password */
    bool rests;
    char *access, *refresh, *profile, *ended; /* ended: a token after logout */
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
    int64_t waiting_since_ms; /* of what was not answered well; 0: nothing */
    enum op waiting_for;
    struct someone *people; /* the newest first */
    struct invited *invited;
    struct project *projects;
    char *access; /* the admin's */
    struct value setting, pages[PAGES];
};

struct mail {
    char to[64], subject[32], id[128];
};

/* Of the suite's file, which changes when a daemon is killed: copies. */
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

/* A number below `sides`, by the client's seed. */
int chaos_chance(struct client *self, int sides);

/* Asks with a bearer, or from an address of its own, so that no limit for one address is met. */
struct http_answer *chaos_ask(const struct client *self, const char *method, const char *path,
                              const char *bearer, json_t *body);
struct http_answer *chaos_ask_fresh(struct client *self, const char *path, json_t *body);

/* Counts an answer. right: it is what it should be. */
enum told chaos_judge(struct client *self, enum op op, const struct http_answer *answer,
                      bool right);

/* A second look that no answer of the suite gives: counts like one. */
void chaos_expect(struct client *self, enum op op, const char *who, bool right, const char *what);

/* Replaces a text by a copy; NULL for "". */
void chaos_keep(char **text, const char *now);

/* ---- chaos_person.c ---- */

/* A new person registers and acts until it has done enough. */
void someone_lives(struct client *self);

/* Until it is answered. YES: signed in; NO: there is no such account (which only a maybe may
 * say). */
enum known someone_signs_in(struct client *self, struct someone *who);

void file_read(struct client *self, const struct someone *who, const struct file *file);
void someone_free(struct someone *who);

/* ---- chaos_admin.c ---- */

void admin_signs_in(struct client *self);
void admin_works(struct client *self); /* one step */

void setting_read(struct client *self);
void page_read(struct client *self, size_t page);
void page_search(struct client *self, size_t page);

/* ---- chaos_read_back.c ---- */

/* The mails in the directory, once for each Message-ID. */
void chaos_read_mails(struct chaos *self);

/* Reads what one client was told. */
void *chaos_read_back_thread(void *client);

#endif

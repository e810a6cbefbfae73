/* demo.h - the demo tenant of a development suite, made over the bus as an operator would. */
#ifndef ATRIUM_DEV_DEMO_H
#define ATRIUM_DEV_DEMO_H

#include <jansson.h>

#include "common/base/uuid.h"
#include "ctl/ctl_bus.h"
#include "docd/cms_api.h"

#define DEMO_TENANT "demo"
#define DEMO_ADMIN "admin@demo.example"
#define DEMO_PATIENT_APP "https://patient.demo.example"
#define DEMO_REDIRECT "http://localhost:8990/callback"
#define DEMO_PRACTITIONER_APP "https://practitioner.demo.example"

struct demo {
    const char *project;        /* its id */
    const char *admin_password; /* NULL: not known */
    const char *client;
    const char *patient_policy, *practitioner_policy; /* "AccessPolicy/<id>" */
};

/* Makes what is missing of the tenant and fills *ret, texts in the arena. `path` is the file that
 * keeps the admin's password and the ids from one start to the next (0600), `bot_dir` where the
 * demo's bot is put. A tenant that was whole once is left as its users have made it since, also
 * when the file is lost or of another database: the admin's password, which the file alone has, is
 * then not known. Parks. */
int demo_open(struct ctl_bus *bus, const char *path, const char *bot_dir, struct arena *arena,
              struct demo *ret, struct error *err) MUST_USE;

/* The member "demo" of dev.json. New reference. */
json_t *demo_json(const struct demo *self);

/* demo_content.c: entries of mapped content. */
extern const struct cms_entry demo_content[];
extern const size_t demo_content_count;

#endif

/* demo.h - makes a development suite's demo tenant over the bus, like an operator. */
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
    const char *project;
    const char *admin_password; /* NULL: unknown */
    const char *client;
    const char *patient_policy, *practitioner_policy; /* "AccessPolicy/<id>" */
};

/* Makes what is missing. The file `path` (0600) keeps the admin's password and the ids between
 * starts. A tenant that was complete once is not changed, even if the file is lost; the password is
 * then unknown. Parks. */
int demo_open(struct ctl_bus *bus, const char *path, const char *bot_dir, struct arena *arena,
              struct demo *ret, struct error *err) MUST_USE;

/* Returns dev.json's member "demo", a new reference. */
json_t *demo_json(const struct demo *self);

/* Content entries (demo_content.c). */
extern const struct cms_entry demo_content[];
extern const size_t demo_content_count;

#endif

/*
 * tenant_invited.h - practitioners in a file who have an account here: authd invites them
 * (authd/account/transfer.h). `tenant verify` skips their rows.
 */
#ifndef ATRIUM_CTL_TENANT_TENANT_INVITED_H
#define ATRIUM_CTL_TENANT_TENANT_INVITED_H

#include <jansson.h>

#include "ctl/ctl.h"

struct field_list;

#define TENANT_ACCOUNT_TABLE "authd.account"

/* Begins zeroed. */
struct tenant_invited {
    struct arena *arena;
    json_t *list;        /* JSON objects */
    json_t *memberships; /* keys: ids in the file, and invitations */
    json_t *accounts;    /* keys: ids in the file and here */
    json_t *addresses;   /* keys: of pending invitations */
    int64_t admins;      /* how many of them are admins in the file */
};

void tenant_invited_wipe(struct tenant_invited *self);

/* Loads the practitioners whom authd has invited. Parks. */
int tenant_invited_load(struct tenant_invited *self, struct ctl *ctl, struct uuid project,
                        struct error *err) MUST_USE;

/* Adds those in `rows` whom authd would invite; `before`: the number of rows checked earlier.
 * ERR_CONFLICT: authd refuses them. Parks. */
int tenant_invited_check(struct tenant_invited *self, struct ctl *ctl, struct uuid project,
                         struct field_list rows, int64_t before, struct error *err) MUST_USE;

/* True for an invited practitioner's row. Call it in order, table by table. */
bool tenant_invited_skips(struct tenant_invited *self, const char *table, const void *row,
                          size_t size);

/* Prints the invited practitioners, and advice when none of the file's `admins` is a member. */
void tenant_invited_show(const struct tenant_invited *self, const struct ctl *ctl,
                         const char *project, int64_t admins);

#endif

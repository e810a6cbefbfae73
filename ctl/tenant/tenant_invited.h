/*
 * tenant_invited.h - practitioners of a tenant's file who have an account here, which stays as it
 * is: authd invites them (authd/account/transfer.h). What the commands print about them, and which
 * rows `tenant verify` has nothing to compare with.
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
    json_t *list;        /* JSON objects, as they are shown */
    json_t *memberships; /* keys: ids in the file, and of the invitations */
    json_t *accounts;    /* keys: ids in the file and, once tenant_invited_skips() met them, here */
    json_t *addresses;   /* keys: of invitations that are pending */
    int64_t admins;      /* administrators of the file among them */
};

void tenant_invited_wipe(struct tenant_invited *self);

/* Whom the import has invited. Parks. */
int tenant_invited_load(struct tenant_invited *self, struct ctl *ctl, struct uuid project,
                        struct error *err) MUST_USE;

/* Adds the practitioners that authd would invite; before: rows before these. ERR_CONFLICT: authd
 * would refuse them. Parks. */
int tenant_invited_check(struct tenant_invited *self, struct ctl *ctl, struct uuid project,
                         struct field_list rows, int64_t before, struct error *err) MUST_USE;

/* True for their rows. Ask in order, table by table. */
bool tenant_invited_skips(struct tenant_invited *self, const char *table, const void *row,
                          size_t size);

/* Says who they are, and what is left to do when none of the file's `admins` is a member. */
void tenant_invited_show(const struct tenant_invited *self, const struct ctl *ctl,
                         const char *project, int64_t admins);

#endif

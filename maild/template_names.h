/*
 * template_names.h - the templates that exist and the variables that each may use.
 */
#ifndef ATRIUM_MAILD_TEMPLATE_NAMES_H
#define ATRIUM_MAILD_TEMPLATE_NAMES_H

#include "common/base.h"

struct template_name {
    const char *name;
    const char *const *variables; /* beside those that all have; NULL-ended */
};

/* The template of that name, or NULL. */
const struct template_name *template_name_find(const char *name);

/* Whether `length` bytes at `variable` name something that the template may use. */
bool template_name_knows(const struct template_name *self, const char *variable, size_t length);

#endif

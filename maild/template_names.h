/* template_names.h - the templates that exist and the variables that each may use. */
#ifndef ATRIUM_MAILD_TEMPLATE_NAMES_H
#define ATRIUM_MAILD_TEMPLATE_NAMES_H

#include <jansson.h>

#include "common/base/base.h"

struct template_variable {
    const char *name, *sample;
};
struct template_name {
    const char *name;
    const char *occasion;                      /* when it is mailed, and to whom */
    const struct template_variable *variables; /* beside those that all have; ended by name NULL */
};

/* One after the other, from 0 on; NULL behind the last. */
const struct template_name *template_name_at(size_t index);

/* The variables that every template may use; ended by name NULL. */
const struct template_variable *template_variables_common(void);

/* The template of that name, or NULL. */
const struct template_name *template_name_find(const char *name);

bool template_has_variable(const struct template_name *self, const char *variable, size_t length);

/* True for links that open or change an account: they are for the recipient only. */
bool template_variable_is_secret(const char *variable);

/* True for names that people chose, shown as by name_shown() (common/domain/name.h). */
bool template_variable_is_name(const char *variable);

/* A value for each variable that the template may use, for previews. New reference. */
json_t *template_name_samples(const struct template_name *self);

#endif

/* template_names.h - all mail templates and their variables. */
#ifndef ATRIUM_MAILD_TEMPLATE_NAMES_H
#define ATRIUM_MAILD_TEMPLATE_NAMES_H

#include <jansson.h>

#include "common/base/base.h"

struct template_variable {
    const char *name, *sample;
};
struct template_name {
    const char *name;
    const char *occasion;
    const struct template_variable *variables; /* without the common ones; ends with name NULL */
};

/* Returns NULL after the last index. */
const struct template_name *template_name_at(size_t index);

/* Ends with name NULL. */
const struct template_variable *template_variables_common(void);

const struct template_name *template_name_find(const char *name);

bool template_has_variable(const struct template_name *self, const char *variable, size_t length);

/* True for links that only the recipient may see. */
bool template_variable_is_secret(const char *variable);

/* True for names that people chose, formatted by name_shown() (common/domain/name.h). */
bool template_variable_is_name(const char *variable);

/* Returns a new reference. */
json_t *template_name_samples(const struct template_name *self);

#endif

/*
 * scim_patch.c - see scim_patch.h.
 */
#include "authd/federation/scim_patch.h"

#include <string.h>
#include <strings.h>

#include "common/wire/fields.h"

enum { ELEMENTS_MAX = 100 }; /* longer lists stay as they are, to bound the time */

enum tristate scim_bool(const json_t *value)
{
    const char *text = json_string_value(value);

    if (json_is_true(value) || (text && strcasecmp(text, "true") == 0))
        return TRISTATE_TRUE;
    return json_is_false(value) || (text && strcasecmp(text, "false") == 0) ? TRISTATE_FALSE
                                                                            : TRISTATE_UNSET;
}

/* ---- reading ---- */

struct reader {
    struct arena *arena;
    struct scim_operation *items;
    size_t count;
};

static int read_op(const json_t *operation, enum scim_op *ret, struct error *err)
{
    static const char *const names[] = {"add", "replace", "remove"};
    const char *text = json_string_value(scim_member(operation, "op"));

    for (unsigned i = 0; text && i < ARRAY_SIZE(names); i++) {
        if (strcasecmp(text, names[i]) == 0) {
            *ret = (enum scim_op)i;
            return 0;
        }
    }
    return scim_fail(err, ERR_BAD_REQUEST, "invalidSyntax", "op must be add, replace or remove.");
}

static int put(struct reader *self, enum scim_op op, const char *path, json_t *value,
               struct error *err)
{
    struct scim_operation *item = &self->items[self->count];
    struct error skipped;

    if (self->count == SCIM_OPERATIONS_MAX)
        return scim_fail(err, ERR_BAD_REQUEST, "invalidSyntax", "There are too many operations.");
    error_init(&skipped, self->arena);
    *item = (struct scim_operation){.op = op, .value = value};
    if (scim_path_read(self->arena, path, &item->path, &skipped) == 0)
        self->count++;
    return 0;
}

/* RFC 7644, sections 3.5.2.1 and 3.5.2.3: without a path, the value's members are attributes. */
static int put_members(struct reader *self, enum scim_op op, json_t *value, struct error *err)
{
    const char *key;
    json_t *member;

    if (op == SCIM_REMOVE)
        return scim_fail(err, ERR_BAD_REQUEST, "noTarget", "A remove needs a path.");
    if (!json_is_object(value))
        return scim_fail(err, ERR_BAD_REQUEST, "invalidValue",
                         "Without a path, the value must be an object.");
    json_object_foreach(value, key, member)
    {
        if (put(self, op, key, member, err) < 0)
            return -1;
    }
    return 0;
}

int scim_patch_read(struct arena *arena, const json_t *body, struct scim_operation **ret,
                    size_t *ret_count, struct error *err)
{
    const json_t *list = scim_member(body, "Operations"), *each;
    struct reader reader = {.arena = arena};
    size_t i;

    if (json_array_size(list) == 0)
        return scim_fail(err, ERR_BAD_REQUEST, "invalidSyntax", "Operations must be a list.");
    reader.items = arena_calloc(arena, SCIM_OPERATIONS_MAX + 1, sizeof(*reader.items));
    json_array_foreach(list, i, each)
    {
        const char *path = json_string_value(scim_member(each, "path"));
        json_t *value = scim_member(each, "value");
        enum scim_op op = SCIM_ADD;

        if (read_op(each, &op, err) < 0 ||
            (path && path[0] ? put(&reader, op, path, value, err)
                             : put_members(&reader, op, value, err)) < 0)
            return -1;
    }
    *ret = reader.items;
    *ret_count = reader.count;
    return 0;
}

/* ---- applying ---- */

/* Returns the name as the object has it, so that no member is there in two spellings. */
static const char *key_of(json_t *object, const char *name)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        if (strcasecmp(key, name) == 0)
            return key;
    }
    return name;
}

static void set(json_t *object, const char *name, json_t *value)
{
    json_object_set(object, key_of(object, name), value);
}

static void delete (json_t *object, const char *name)
{
    char key[SCIM_FILTER_MAX + 1];

    snprintf(key, sizeof(key), "%s", key_of(object, name));
    json_object_del(object, key);
}

static void change_member(const struct scim_operation *self, json_t *object, const char *name)
{
    if (self->op == SCIM_REMOVE)
        delete (object, name);
    else if (self->value)
        set(object, name, self->value);
}

/* Adds the texts that a filter asks for, so that the new element matches it. */
static void fill(const struct scim_filter *filter, json_t *element)
{
    if (filter->term == SCIM_AND) {
        fill(filter->left, element);
        fill(filter->right, element);
    } else if (filter->term == SCIM_EQ && filter->kind == SCIM_TEXT && !filter->sub) {
        json_object_set_new(element, filter->attribute, json_string(filter->text));
    } else if (filter->term == SCIM_EQ && filter->kind == SCIM_TRUE && !filter->sub) {
        json_object_set_new(element, filter->attribute, json_true());
    }
}

static void change_element(const struct scim_operation *self, json_t *element)
{
    if (self->path.sub)
        change_member(self, element, self->path.sub);
    else if (json_is_object(self->value))
        json_object_update(element, self->value);
}

static void change_elements(const struct scim_operation *self, json_t *resource)
{
    json_t *list = scim_member(resource, self->path.attribute), *element;
    bool found = false;

    if (!json_is_array(list) && self->op == SCIM_REMOVE)
        return;
    if (!json_is_array(list)) {
        list = json_array();
        json_object_set_new(resource, key_of(resource, self->path.attribute), list);
    }
    if (json_array_size(list) > ELEMENTS_MAX)
        return;
    for (size_t i = json_array_size(list); i-- > 0;) {
        element = json_array_get(list, i);
        if (!json_is_object(element) || !scim_filter_match(self->path.filter, element))
            continue;
        found = true;
        if (self->op == SCIM_REMOVE && !self->path.sub)
            json_array_remove(list, i);
        else
            change_element(self, element);
    }
    if (found || self->op == SCIM_REMOVE)
        return;
    element = json_object();
    fill(self->path.filter, element);
    change_element(self, element);
    json_array_append_new(list, element);
}

/* Adds to a list, or replaces its element of the same type. */
static void append(json_t *list, json_t *value)
{
    const char *type = json_string_value(scim_member(value, "type"));

    if (json_array_size(list) > ELEMENTS_MAX)
        return;
    for (size_t i = 0; type && i < json_array_size(list); i++) {
        const char *other = json_string_value(scim_member(json_array_get(list, i), "type"));

        if (other && strcasecmp(other, type) == 0) {
            json_array_set(list, i, value);
            return;
        }
    }
    json_array_append(list, value);
}

static void add_values(json_t *list, json_t *values)
{
    json_t *each;
    size_t i;

    if (!json_is_array(values)) {
        append(list, values);
        return;
    }
    json_array_foreach(values, i, each)
    {
        append(list, each);
    }
}

void scim_patch_apply(const struct scim_operation *self, json_t *resource)
{
    json_t *current = scim_member(resource, self->path.attribute);

    if (self->path.filter) {
        change_elements(self, resource);
    } else if (self->path.sub) {
        if (!json_is_object(current)) {
            if (self->op == SCIM_REMOVE || current)
                return;
            json_object_set_new(resource, self->path.attribute, json_object());
            current = scim_member(resource, self->path.attribute);
        }
        change_member(self, current, self->path.sub);
    } else if (self->op == SCIM_ADD && json_is_array(current) && self->value) {
        add_values(current, self->value);
    } else if (self->op != SCIM_REMOVE && json_is_object(current) && json_is_object(self->value)) {
        json_object_update(current, self->value);
    } else {
        change_member(self, resource, self->path.attribute);
    }
}

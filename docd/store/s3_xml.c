/* s3_xml.c - see s3_xml.h. Uses expat, which libvips needs anyway. */
#include "docd/store/s3_xml.h"

#include <expat.h>
#include <string.h>

#include "common/base/log.h"

enum { DEPTH_MAX = 8, PATH_MAX_ = 256, TEXT_MAX_ = 1100 /* S3 limits a key to 1,024 */ };

struct reading {
    XML_Parser parser;
    const char *root;
    void (*element)(void *arg, const char *path, const char *text);
    void *arg;
    char path[PATH_MAX_], text[TEXT_MAX_];
    size_t path_length, text_length, depth;
    bool leaf, failed; /* leaf: no child element */
};

static void fail(struct reading *self)
{
    self->failed = true;
    XML_StopParser(self->parser, XML_FALSE);
}

static void on_start(void *arg, const char *name, const char **attributes UNUSED)
{
    struct reading *self = arg;
    size_t length = strlen(name);

    if (++self->depth > DEPTH_MAX || self->path_length + length + 2 > sizeof(self->path) ||
        (self->depth == 1 && strcmp(name, self->root) != 0)) {
        fail(self);
        return;
    }
    if (self->path_length > 0)
        self->path[self->path_length++] = '/';
    memcpy(self->path + self->path_length, name, length + 1);
    self->path_length += length;
    self->text_length = 0;
    self->leaf = true;
}

static void on_end(void *arg, const char *name)
{
    struct reading *self = arg;

    if (self->failed)
        return;
    self->text[self->text_length] = '\0';
    if (self->leaf)
        self->element(self->arg, self->path, self->text);
    self->leaf = false;
    self->depth--;
    self->path_length -= strlen(name) + (self->depth > 0);
    self->path[self->path_length] = '\0';
}

static void on_text(void *arg, const char *text, int length)
{
    struct reading *self = arg;
    size_t taken = MIN((size_t)length, sizeof(self->text) - 1 - self->text_length);

    memcpy(self->text + self->text_length, text, taken);
    self->text_length += taken;
}

static void on_doctype(void *arg, const char *name UNUSED, const char *system UNUSED,
                       const char *public UNUSED, int has_subset UNUSED)
{
    fail(arg);
}

int s3_xml_read(const char *text, size_t size, const char *root,
                void (*element)(void *arg, const char *path, const char *text), void *arg)
{
    struct reading reading = {
        .parser = XML_ParserCreate(NULL), .root = root, .element = element, .arg = arg};
    enum XML_Status status;

    if (!reading.parser)
        log_die("s3", "out of memory");
    XML_SetUserData(reading.parser, &reading);
    XML_SetElementHandler(reading.parser, on_start, on_end);
    XML_SetCharacterDataHandler(reading.parser, on_text);
    XML_SetStartDoctypeDeclHandler(reading.parser, on_doctype);
    status = XML_Parse(reading.parser, text, (int)size, XML_TRUE);
    XML_ParserFree(reading.parser);
    return status == XML_STATUS_OK && !reading.failed ? 0 : -1;
}

struct wanted {
    struct arena *arena;
    const char *path, *found;
};

static void find(void *arg, const char *path, const char *text)
{
    struct wanted *wanted = arg;

    if (!wanted->found && strcmp(path, wanted->path) == 0)
        wanted->found = arena_strdup(wanted->arena, text);
}

const char *s3_xml_text(struct arena *arena, const char *xml, size_t size, const char *path)
{
    const char *root = arena_strndup(arena, path, strcspn(path, "/"));
    struct wanted wanted = {arena, path, NULL};

    return s3_xml_read(xml, size, root, find, &wanted) < 0 ? NULL : wanted.found;
}

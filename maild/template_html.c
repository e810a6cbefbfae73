/*
 * template_html.c - see template_html.h.
 *
 * Each placeholder becomes a mark that no author can guess. In Gumbo's tree, each secret's mark
 * must be in an allowed place exactly once; others must not become markup, because people choose
 * their names. Elements that mail programs parse differently are rejected, and Outlook's
 * conditional comments are parsed too.
 */
#include "maild/template_html.h"

#include <ctype.h>
#include <gumbo.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/uuid.h"
#include "maild/buffer.h"
#include "maild/render.h"

#define BLANKS " \t\n\f\r"

enum {
    TAGS_MAX = 4000,
    OPEN_MAX = 256,       /* nesting, because Gumbo can walk all open elements for each character */
    ATTRIBUTES_MAX = 100, /* per tag, because Gumbo can walk them for each open element */
    SCANS_MAX = 16,
    TREE_BYTES_MAX = 8 << 20, /* 256 KiB of ordinary HTML take 2 MiB */
    MARK_SIZE = 40,
};

/* Elements outside HTML5 (<o:p>, <xml>) have no tag. */
static const GumboTag plain_elements[] = {
    GUMBO_TAG_HTML,    GUMBO_TAG_HEAD,       GUMBO_TAG_TITLE,      GUMBO_TAG_META,
    GUMBO_TAG_STYLE,   GUMBO_TAG_BODY,       GUMBO_TAG_ARTICLE,    GUMBO_TAG_SECTION,
    GUMBO_TAG_NAV,     GUMBO_TAG_ASIDE,      GUMBO_TAG_H1,         GUMBO_TAG_H2,
    GUMBO_TAG_H3,      GUMBO_TAG_H4,         GUMBO_TAG_H5,         GUMBO_TAG_H6,
    GUMBO_TAG_HEADER,  GUMBO_TAG_FOOTER,     GUMBO_TAG_ADDRESS,    GUMBO_TAG_P,
    GUMBO_TAG_HR,      GUMBO_TAG_PRE,        GUMBO_TAG_OL,         GUMBO_TAG_UL,
    GUMBO_TAG_LI,      GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_DL,         GUMBO_TAG_DT,
    GUMBO_TAG_DD,      GUMBO_TAG_FIGURE,     GUMBO_TAG_FIGCAPTION, GUMBO_TAG_MAIN,
    GUMBO_TAG_DIV,     GUMBO_TAG_A,          GUMBO_TAG_EM,         GUMBO_TAG_STRONG,
    GUMBO_TAG_SMALL,   GUMBO_TAG_S,          GUMBO_TAG_CITE,       GUMBO_TAG_Q,
    GUMBO_TAG_ABBR,    GUMBO_TAG_TIME,       GUMBO_TAG_CODE,       GUMBO_TAG_SUB,
    GUMBO_TAG_SUP,     GUMBO_TAG_I,          GUMBO_TAG_B,          GUMBO_TAG_U,
    GUMBO_TAG_MARK,    GUMBO_TAG_BDI,        GUMBO_TAG_BDO,        GUMBO_TAG_SPAN,
    GUMBO_TAG_BR,      GUMBO_TAG_WBR,        GUMBO_TAG_INS,        GUMBO_TAG_DEL,
    GUMBO_TAG_IMG,     GUMBO_TAG_TABLE,      GUMBO_TAG_CAPTION,    GUMBO_TAG_COLGROUP,
    GUMBO_TAG_COL,     GUMBO_TAG_TBODY,      GUMBO_TAG_THEAD,      GUMBO_TAG_TFOOT,
    GUMBO_TAG_TR,      GUMBO_TAG_TD,         GUMBO_TAG_TH,         GUMBO_TAG_CENTER,
    GUMBO_TAG_FONT,    GUMBO_TAG_BIG,        GUMBO_TAG_STRIKE,     GUMBO_TAG_TT,
    GUMBO_TAG_UNKNOWN,
};

struct html_check {
    struct arena *arena;
    char prefix[MARK_SIZE]; /* beginning of each mark */
    size_t secrets, names;  /* placeholders */
    bool *seen;             /* for each secret: found in an allowed place */
    const char *why;
    size_t tree_bytes;
    jmp_buf too_large;
};

static void refuse(struct html_check *self, const char *why)
{
    if (!self->why)
        self->why = why;
}

/* ---- marks ---- */

/* Returns a mark: a secret's contains its number; all others are equal. */
static const char *mark_value(void *arg, const char *name, bool in_query UNUSED)
{
    struct html_check *self = arg;

    if (template_variable_is_secret(name))
        return arena_printf(self->arena, "%ss%06zue", self->prefix, self->secrets++);
    self->names++;
    return arena_printf(self->arena, "%sn", self->prefix);
}

/* Returns -1 for a mark without a secret. */
static long mark_number(const struct html_check *self, const char *mark)
{
    unsigned number = 0;

    mark += strlen(self->prefix);
    return *mark == 's' && sscanf(mark + 1, "%6u", &number) == 1 && number < self->secrets
               ? (long)number
               : -1;
}

static bool has_mark(const struct html_check *self, const char *text)
{
    return text && strcasestr(text, self->prefix);
}

static bool has_secret(const struct html_check *self, const char *text)
{
    for (text = strcasestr(text, self->prefix); text; text = strcasestr(text + 1, self->prefix)) {
        if (mark_number(self, text) >= 0)
            return true;
    }
    return false;
}

static void text_accept(struct html_check *self, const char *text)
{
    for (text = strstr(text, self->prefix); text; text = strstr(text + 1, self->prefix)) {
        long number = mark_number(self, text);

        if (number >= 0)
            self->seen[number] = true;
    }
}

/* ---- the tree ---- */

static bool is_plain(const GumboElement *element)
{
    if (element->tag_namespace != GUMBO_NAMESPACE_HTML)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(plain_elements); i++) {
        if (element->tag == plain_elements[i])
            return true;
    }
    return false;
}

static bool is_quoted(const GumboAttribute *attribute)
{
    const GumboStringPiece *raw = &attribute->original_value;

    return raw->length > 0 && (raw->data[0] == '"' || raw->data[0] == '\'');
}

static void attribute_check(struct html_check *self, const GumboElement *element,
                            const GumboAttribute *attribute)
{
    const char *value = attribute->value;

    if (has_mark(self, attribute->name))
        refuse(self, "must not have variables in the names of attributes");
    if (strncasecmp(attribute->name, "on", 2) == 0 || strcasecmp(attribute->name, "ping") == 0)
        refuse(self, "must not have event handlers or ping beside a secret link");
    if (!has_mark(self, value))
        return;
    if (!is_quoted(attribute))
        refuse(self, "must have quotes around attributes with variables");
    if (!has_secret(self, value))
        return;
    if (element->tag != GUMBO_TAG_A || strcmp(attribute->name, "href") != 0 ||
        strncmp(value, self->prefix, strlen(self->prefix)) != 0 ||
        strlen(value) != strlen(self->prefix) + strlen("s000000e"))
        refuse(self, "may have a secret link only as text or as the whole href of an <a>");
    else
        self->seen[mark_number(self, value)] = true;
}

static void element_check(struct html_check *self, const GumboElement *element)
{
    const GumboStringPiece *raw = &element->original_tag;

    if (!is_plain(element))
        refuse(self, arena_printf(self->arena, "must not have <%s> beside a secret link",
                                  gumbo_normalized_tagname(element->tag)));
    if (element->tag == GUMBO_TAG_UNKNOWN && raw->length > 0 &&
        has_mark(self, arena_strndup(self->arena, raw->data, strcspn(raw->data, " \t\r\n\f/>"))))
        refuse(self, "must not have variables in the names of elements");
    for (unsigned i = 0; i < element->attributes.length; i++)
        attribute_check(self, element, element->attributes.data[i]);
}

/* Checks style sheets: one that selects by attribute can leak a link letter by letter. */
static void style_check(struct html_check *self, const char *css)
{
    bool loads = strcasestr(css, "url") || strcasestr(css, "import") || strcasestr(css, "image") ||
                 strcasestr(css, "src");

    if (has_mark(self, css))
        refuse(self, "must not have variables in style sheets beside a secret link");
    if (strchr(css, '\\') || (strchr(css, '[') && loads))
        refuse(self, "must not have style sheets that select by attribute and load something");
}

static void text_check(struct html_check *self, const GumboNode *node)
{
    const char *text = node->v.text.text;
    GumboTag parent = node->parent && node->parent->type == GUMBO_NODE_ELEMENT
                          ? node->parent->v.element.tag
                          : GUMBO_TAG_UNKNOWN;

    if (parent == GUMBO_TAG_STYLE)
        style_check(self, text);
    else if (parent != GUMBO_TAG_TITLE && parent != GUMBO_TAG_UNKNOWN)
        text_accept(self, text);
}

static void node_check(struct html_check *self, const GumboNode *node)
{
    switch (node->type) {
    case GUMBO_NODE_ELEMENT:
    case GUMBO_NODE_TEMPLATE:
        element_check(self, &node->v.element);
        break;
    case GUMBO_NODE_TEXT:
        text_check(self, node);
        break;
    case GUMBO_NODE_DOCUMENT:
    case GUMBO_NODE_CDATA:
    case GUMBO_NODE_COMMENT:
    case GUMBO_NODE_WHITESPACE:
        break;
    }
}

static const GumboVector *children_of(const GumboNode *node)
{
    static const GumboVector none;

    if (node->type == GUMBO_NODE_DOCUMENT)
        return &node->v.document.children;
    if (node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE)
        return &node->v.element.children;
    return &none;
}

/* Checks the tree, without recursion: trees can be deep, and stacks are small. */
static void tree_check(struct html_check *self, const GumboNode *root)
{
    const GumboNode *node = root;

    while (node) {
        node_check(self, node);
        if (children_of(node)->length > 0) {
            node = children_of(node)->data[0];
            continue;
        }
        while (node != root && node->index_within_parent + 1 >= children_of(node->parent)->length)
            node = node->parent;
        node = node == root ? NULL : children_of(node->parent)->data[node->index_within_parent + 1];
    }
}

/* ---- parsing ---- */

/* Gumbo cannot handle failed allocations: longjmp() leaves it, and the arena owns its tree. */
static void *tree_alloc(void *arg, size_t size)
{
    struct html_check *self = arg;

    self->tree_bytes += size;
    if (self->tree_bytes > TREE_BYTES_MAX)
        longjmp(self->too_large, 1);
    return arena_alloc(self->arena, size);
}

static void tree_free(void *arg UNUSED, void *bytes UNUSED)
{
}

static void pass(struct html_check *self, const char *html)
{
    GumboOptions options = kGumboDefaultOptions;
    const GumboOutput *output;

    options.allocator = tree_alloc;
    options.deallocator = tree_free;
    options.userdata = self;
    options.max_errors = 0;
    memset(self->seen, 0, self->secrets);
    self->tree_bytes = 0;
    if (setjmp(self->too_large)) {
        refuse(self, "must have fewer elements");
        return;
    }
    output = gumbo_parse_with_options(&options, html, strlen(html));
    tree_check(self, output->document);
    for (size_t i = 0; i < self->secrets; i++) {
        if (!self->seen[i])
            refuse(self, "may have a secret link only as text or as the whole href of an <a>");
    }
}

/* Returns the length of a conditional comment's delimiter, or 0. */
static size_t conditional_length(const char *text)
{
    static const char *const ends[] = {"<!--<![endif]-->", "<!-- <![endif]-->", "<![endif]-->",
                                       "<![endif]>"};
    size_t begin = strncasecmp(text, "<!--[if", 7) == 0 || strncasecmp(text, "<![if", 5) == 0;
    const char *close = begin ? strstr(text, "]>") : NULL;

    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        if (strncasecmp(text, ends[i], strlen(ends[i])) == 0)
            return strlen(ends[i]);
    }
    if (!close)
        return 0;
    close += 2;
    if (strncmp(close, "<!-->", 5) == 0)
        close += 5;
    else if (strncmp(close, "-->", 3) == 0)
        close += 3;
    return (size_t)(close - text);
}

static const char *conditions_removed(struct arena *arena, const char *html)
{
    struct buffer out = {.arena = arena};

    while (*html) {
        size_t plain = MAX(strcspn(html, "<"), (size_t)1), length = conditional_length(html);

        if (length == 0)
            buffer_add(&out, html, plain);
        html += length > 0 ? length : plain;
    }
    buffer_text(&out, "");
    return out.text;
}

static size_t tags_count(const char *html)
{
    size_t count = 0;

    for (html = strchr(html, '<'); html; html = strchr(html + 1, '<'))
        count++;
    return count;
}

static const char *value_skip(const char *text)
{
    char quote = *text;
    const char *end;

    if (quote != '"' && quote != '\'')
        return text + strcspn(text, BLANKS ">");
    end = strchr(text + 1, quote);
    return end ? end + 1 : text + strlen(text);
}

/* Skips an attribute (HTML, section 13.2.5.33). */
static const char *attribute_skip(const char *text)
{
    const char *value;

    text += 1 + strcspn(text + 1, BLANKS "/>=");
    value = text + strspn(text, BLANKS);
    if (*value != '=')
        return text;
    value++;
    return value_skip(value + strspn(value, BLANKS));
}

/* Skips a tag. NULL: it has too many attributes. */
static const char *tag_skip(const char *text)
{
    text += strcspn(text, BLANKS "/>");
    for (int count = 0; count <= ATTRIBUTES_MAX; count++) {
        text += strspn(text, BLANKS "/");
        if (*text == '\0' || *text == '>')
            return text;
        text = attribute_skip(text);
    }
    return NULL;
}

/* Checks each "<", because its meaning depends on everything before. */
static bool attributes_are_few(const char *html)
{
    size_t left = SCANS_MAX * strlen(html);

    for (html = strchr(html, '<'); html; html = strchr(html + 1, '<')) {
        const char *name = html + (html[1] == '/' ? 2 : 1), *end;

        if (!isalpha((unsigned char)*name))
            continue;
        end = tag_skip(name);
        if (!end || (size_t)(end - html) > left)
            return false;
        left -= (size_t)(end - html);
    }
    return true;
}

struct open_names {
    size_t count;
    struct open_name {
        const char *text;
        size_t length;
    } items[OPEN_MAX];
};

static bool is_name(struct open_name name, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == name.length && strncasecmp(*list, name.text, name.length) == 0)
            return true;
    return false;
}

static bool last_is(const struct open_names *self, struct open_name name)
{
    const struct open_name *last = self->count > 0 ? &self->items[self->count - 1] : NULL;

    return last && last->length == name.length &&
           strncasecmp(last->text, name.text, name.length) == 0;
}

static bool open_element(struct open_names *self, struct open_name name)
{
    static const char *const empty[] = {"area", "base", "br",    "col", "hr", "img",
                                        "link", "meta", "input", "wbr", NULL};
    static const char *const ends_alike[] = {"dd", "dt", "li", "p", "td", "th", "tr", NULL};

    if (is_name(name, empty) || (is_name(name, ends_alike) && last_is(self, name)))
        return true;
    if (self->count == OPEN_MAX)
        return false;
    self->items[self->count++] = name;
    return true;
}

static const char *comment_skip(const char *text)
{
    bool comment = strncmp(text, "<!--", 4) == 0;
    const char *end, *bang = NULL;

    if (!comment || text[4] == '>' || strncmp(text + 4, "->", 2) == 0)
        return text + strcspn(text, ">");
    end = strstr(text + 4, "-->");
    if (!end)
        end = text + strlen(text);
    bang = memmem(text + 4, (size_t)(end - text) - 4, "--!>", 4);
    return bang ? bang : end;
}

static const char *raw_skip(const char *text, struct open_name name)
{
    static const char *const raw[] = {"style", "title", "textarea", NULL};

    if (!is_name(name, raw))
        return text;
    for (text = strchr(text, '<'); text; text = strchr(text + 1, '<'))
        if (text[1] == '/' && strncasecmp(text + 2, name.text, name.length) == 0 &&
            strchr(BLANKS "/>", text[2 + name.length]))
            return text;
    return "";
}

/* Ignores end tags that do not match, and so counts at least as many as Gumbo. In SVG and MathML,
 * which are rejected later, no element ends. */
static bool elements_are_shallow(struct arena *arena, const char *html)
{
    static const char *const foreign[] = {"svg", "math", NULL};
    struct open_names *open = arena_calloc(arena, 1, sizeof(*open));
    bool plain = true;

    for (html = strchr(html, '<'); html; html = strchr(html, '<')) {
        bool end = html[1] == '/';
        struct open_name name = {html + 1 + end, strcspn(html + 1 + end, BLANKS "/>")};

        if (!isalpha((unsigned char)*name.text)) {
            html = end || strchr("!?", html[1]) ? comment_skip(html) : html + 1;
            continue;
        }
        html = tag_skip(name.text);
        if (!html)
            return false;
        plain = plain && !is_name(name, foreign);
        if (end)
            open->count -= plain && last_is(open, name);
        else if (!open_element(open, name))
            return false;
        else if (plain)
            html = raw_skip(html, name);
    }
    return true;
}

const char *template_html_check(struct arena *arena, const char *html)
{
    struct html_check *self = arena_alloc(arena, sizeof(*self));
    struct uuid random = uuid_random();
    const char *marked, *plain;

    /* The prefix has only lower-case letters and digits, which stay the same in texts, attributes
     * and names. */
    self->arena = arena;
    snprintf(self->prefix, sizeof(self->prefix), "m%.8s%.4s%.4s", random.text, random.text + 9,
             random.text + 24);
    marked = render_with(arena, html, mark_value, self);
    if (self->secrets == 0)
        return NULL;
    if (tags_count(marked) > TAGS_MAX)
        return "must have fewer elements";
    plain = conditions_removed(arena, marked);
    if (!attributes_are_few(marked) || !attributes_are_few(plain))
        return "must have fewer attributes";
    if (!elements_are_shallow(arena, marked) || !elements_are_shallow(arena, plain))
        return "must have fewer elements within each other: 256 are the most";
    self->seen = arena_calloc(arena, self->secrets, sizeof(*self->seen));
    pass(self, marked);
    if (strcmp(plain, marked) != 0)
        pass(self, plain);
    return self->why;
}

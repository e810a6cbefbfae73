/*
 * test_maild_template_page.c - docs/mail-templates.md agrees with the templates' rows.
 * ATRIUM_WRITE_DOCS=1 writes the page (`make docs-mail-templates`).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maild/builtin.h"
#include "maild/template_names.h"
#include "tests/support/unit.h"

static const char path[] = "docs/mail-templates.md";

static const char introduction[] =
    "# Mail templates\n\n"
    "Every email that Atrium sends to a person. `make docs-mail-templates` generates this\n"
    "page from `maild/template_names.c`.\n\n"
    "An admin maps a template in a project with `PUT /v1/project/email-templates/{NAME}`,\n"
    "an operator with `atriumctl template put`. A template has a subject, a text and\n"
    "optionally HTML, with variables such as `{{name}}`. An email without a mapped template\n"
    "is not sent, unless its section below says that Atrium sends a built-in English one. A\n"
    "registration sends the built-in EMAIL_VERIFICATION only if the project requires\n"
    "verified addresses. [integrate.md](integrate.md#links-in-mails) explains the pages that\n"
    "emails link to.\n\n"
    "A *secret* variable is a link or code that gives access to an account. In HTML, it must\n"
    "be text or a whole `href`.\n\n"
    "In HTML, the values of variables are escaped. In a link's query or fragment, they are\n"
    "percent-encoded, also in the text: `https://lakeside.example/?email={{recipientEmail}}`.\n"
    "A variable that is a whole link, or the beginning of one, is inserted unchanged.\n\n"
    "The sections list each variable with an example.\n";

static void write_variables(FILE *page, const struct template_variable *variable)
{
    fputs("\n", page);
    for (; variable->name; variable++)
        fprintf(page, "- `%s`: `%s`%s\n", variable->name, variable->sample,
                template_variable_is_secret(variable->name) ? ", secret" : "");
}

static const char *builtin_text(const char *name)
{
    if (builtin_is_fallback(name))
        return " If the project has no template, Atrium sends a built-in English email.";
    if (builtin_exists(name))
        return " Practitioners of several organizations get a built-in English email instead.";
    return "";
}

/* The caller frees it. */
static char *page_of_rows(void)
{
    const struct template_variable *common = template_variables_common();
    const struct template_name *each;
    char *text = NULL;
    size_t size = 0;
    FILE *page = open_memstream(&text, &size);

    fprintf(page, "%s\n## All templates\n", introduction);
    write_variables(page, common);
    for (size_t i = 0; (each = template_name_at(i)); i++) {
        fprintf(page, "\n## %s\n\n%s%s\n", each->name, each->occasion, builtin_text(each->name));
        if (each->variables != common)
            write_variables(page, each->variables);
    }
    fclose(page);
    return text;
}

static void the_page_is_current(void)
{
    char *want = page_of_rows(), *found = calloc(1, strlen(want) + 2);
    FILE *file = fopen(path, getenv("ATRIUM_WRITE_DOCS") ? "w+" : "r");

    UNIT_CHECK(file != NULL, "%s", path);
    if (file && getenv("ATRIUM_WRITE_DOCS")) {
        fputs(want, file);
        rewind(file);
    }
    if (file) {
        size_t size = fread(found, 1, strlen(want) + 1, file);

        UNIT_CHECK(size == strlen(want) && strcmp(found, want) == 0,
                   "%s is not what the rows say: make docs-mail-templates", path);
        fclose(file);
    }
    free(found);
    free(want);
}

static void every_template_says_when_it_is_mailed(void)
{
    const struct template_name *each;

    for (size_t i = 0; (each = template_name_at(i)); i++) {
        UNIT_CHECK(each->occasion && strncmp(each->occasion, "Sent to ", 8) == 0, "%s", each->name);
        UNIT_CHECK(template_name_find(each->name) == each, "%s", each->name);
    }
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);

    return length >= size && strcmp(text + length - size, end) == 0;
}

/* The lists of these variables are apart from the templates' rows, so new ones are easily missed
 * there. */
static void secrets_and_names_among_the_variables_are_listed(void)
{
    const struct template_name *each;

    for (size_t i = 0; (each = template_name_at(i)); i++)
        for (const struct template_variable *v = each->variables; v->name; v++) {
            bool secret = strstr(v->sample, "secret=") || strstr(v->sample, "token=");

            UNIT_CHECK(!secret || template_variable_is_secret(v->name),
                       "%s of %s is missing in template_variable_is_secret()", v->name, each->name);
            UNIT_CHECK(!ends_in(v->name, "Name") || template_variable_is_name(v->name),
                       "%s of %s is missing in template_variable_is_name()", v->name, each->name);
        }
}

static const struct unit_case cases[] = {
    CASE(secrets_and_names_among_the_variables_are_listed),
    CASE(the_page_is_current),
    CASE(every_template_says_when_it_is_mailed),
};

int main(void)
{
    return unit_run("maild template page", cases, ARRAY_SIZE(cases));
}

/* tenant_code.c - see tenant_code.h. */
#include "settingsd/tenant_code.h"

#include <ctype.h>
#include <string.h>

#include "common/base/uuid.h"

enum { CODE_MIN = 3, CODE_MAX = 64, SUFFIX_LENGTH = 6 };

/* Base letters of U+00C0 .. U+017F (Latin-1 and Latin Extended-A), or '-'. */
static const char latin_base[] = "aaaaaaaceeeeiiiidnooooo-ouuuuyts"
                                 "aaaaaaaceeeeiiiidnooooo-ouuuuyty"
                                 "aaaaaaccccccccddddeeeeeeeeeegggg"
                                 "gggghhhhiiiiiiiiiiiijjkkklllllll"
                                 "lllnnnnnnnnnoooooooorrrrrrssssss"
                                 "ssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/* Reads one UTF-8 character as [a-z0-9] or '-', and advances *text. */
static char next_letter(const char **text)
{
    unsigned char lead = (unsigned char)*(*text)++;

    if (lead < 0x80)
        return isalnum(lead) ? (char)tolower(lead) : '-';
    if (lead >= 0xC3 && lead <= 0xC5) {
        unsigned char trail = (unsigned char)*(*text)++;
        size_t index = (size_t)((lead & 0x1F) << 6 | (trail & 0x3F)) - 0xC0;

        return index < sizeof(latin_base) - 1 ? latin_base[index] : '-';
    }
    while (((unsigned char)**text & 0xC0) == 0x80)
        (*text)++;
    return '-';
}

char *tenant_code_from_name(struct arena *arena, const char *name, bool unique)
{
    char code[CODE_MAX + 1];
    size_t length = 0;

    while (*name && length < CODE_MAX - SUFFIX_LENGTH - 1) {
        char c = next_letter(&name);

        if (c != '-' || (length > 0 && code[length - 1] != '-'))
            code[length++] = c;
    }
    while (length > 0 && code[length - 1] == '-')
        length--;
    code[length] = '\0';
    if (length >= CODE_MIN && !unique)
        return arena_strdup(arena, code);

    struct uuid random = uuid_random();

    return arena_printf(arena, "%s-%s", length > 0 ? code : "project",
                        random.text + strlen(random.text) - SUFFIX_LENGTH);
}

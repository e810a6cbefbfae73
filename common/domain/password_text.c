/* password_text.c - see password_text.h. */
#include "common/domain/password_text.h"

#include <errno.h>
#include <sodium.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

#include "common/base/base.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/wire/codec.h"

/* Keeps the text's size, and invalid UTF-8. */
static size_t map_spaces(const uint8_t *text, size_t size, uint8_t *to)
{
    size_t length = 0;

    for (size_t at = 0; at < size;) {
        ucs4_t c;
        int bytes = u8_mbtoucr(&c, text + at, size - at);

        if (bytes > 1 && uc_is_general_category(c, UC_SPACE_SEPARATOR)) {
            to[length++] = ' ';
            at += (size_t)bytes;
            continue;
        }
        for (int i = 0; i < MAX(bytes, 1); i++)
            to[length++] = text[at++];
    }
    return length;
}

char *password_text_normalize(const char *text)
{
    size_t size = strlen(text), normal_size = 0;
    uint8_t *mapped, *normal;
    char *result = NULL;

    if (codec_is_ascii(text))
        return NULL;
    mapped = memory_raw(size + 1);
    size = map_spaces((const uint8_t *)text, size, mapped);
    errno = 0;
    normal = u8_normalize(UNINORM_NFC, mapped, size, NULL, &normal_size);
    if (!normal && errno == ENOMEM) /* the raw text would be a different password */
        log_die("password", "out of memory");
    if (normal && (normal_size != strlen(text) || memcmp(normal, text, normal_size) != 0)) {
        result = memory_raw(normal_size + 1);
        memcpy(result, normal, normal_size);
        result[normal_size] = '\0';
    }
    if (normal)
        sodium_memzero(normal, normal_size);
    free(normal);
    sodium_memzero(mapped, size);
    free(mapped);
    return result;
}

void password_text_destroy(char **self_p)
{
    if (*self_p)
        sodium_memzero(*self_p, strlen(*self_p));
    free(*self_p);
    *self_p = NULL;
}

size_t password_text_length(const char *text)
{
    CLEANUP(password_text_destroy) char *normal = password_text_normalize(text);
    const uint8_t *counted = (const uint8_t *)(normal ? normal : text);

    return u8_mbsnlen(counted, strlen((const char *)counted));
}

/*
 * totp.c - see totp.h.
 */
#include "tests/support/totp.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

/* base32 (RFC 4648), 32 symbols. */
void totp_read(const char *url, uint8_t ret[static TOTP_SECRET])
{
    static const char symbols[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    const char *at = strstr(url, "?secret=");
    unsigned bits = 0, held = 0;

    memset(ret, 0, TOTP_SECRET);
    if (!UNIT_CHECK(at && strcspn(at + 8, "&") == 32, "url: %s", url))
        return;
    for (int i = 0, out = 0; i < 32; i++) {
        bits = bits << 5 | (unsigned)(strchr(symbols, at[8 + i]) - symbols);
        held += 5;
        if (held >= 8) {
            held -= 8;
            ret[out++] = (uint8_t)(bits >> held);
        }
    }
}

/* RFC 4226, section 5.3, with the time step as counter. */
const char *totp_code(const uint8_t secret[static TOTP_SECRET], int64_t at_s, char ret[static 7])
{
    uint64_t step = (uint64_t)(at_s / TOTP_STEP);
    uint8_t message[8], mac[20];
    unsigned size = sizeof(mac), value;

    for (int i = 0; i < 8; i++)
        message[i] = (uint8_t)(step >> (56 - 8 * i));
    HMAC(EVP_sha1(), secret, TOTP_SECRET, message, sizeof(message), mac, &size);
    value = (unsigned)(mac[mac[19] & 15] & 127) << 24 | (unsigned)mac[(mac[19] & 15) + 1] << 16 |
            (unsigned)mac[(mac[19] & 15) + 2] << 8 | mac[(mac[19] & 15) + 3];
    snprintf(ret, 7, "%06u", value % 1000000);
    return ret;
}

void totp_enrol(struct suite *suite, const struct person *person, int64_t at_s,
                uint8_t ret[static TOTP_SECRET])
{
    char code[7];
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", person->access);

    totp_read(http_text(status, "otpauthUrl"), ret);
    HTTP_ANSWER on = http_post(suite_url(suite), "/auth/mfa/enroll", person->access,
                               json_pack("{s:s}", "token", totp_code(ret, at_s, code)));
    CHECK_STATUS(on, 200);
}

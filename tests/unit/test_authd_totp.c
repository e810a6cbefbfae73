/*
 * test_authd_totp.c - pure parts of the second factor: RFC 6238 codes, the key's URL and QR code.
 */
#include <CUnit/CUnit.h>
#include <png.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "authd/credential/qr.h"
#include "authd/credential/totp.h"
#include "tests/support/unit.h"

static const uint8_t *const rfc_secret = (const uint8_t *)"12345678901234567890";

/* RFC 6238, appendix B, SHA-1: the last six of its eight digits. */
static void test_codes_are_those_of_rfc_6238(void)
{
    static const struct {
        int64_t seconds;
        const char *code;
    } rows[] = {
        {59, "287082"},         {1111111109, "081804"}, {1111111111, "050471"},
        {1234567890, "005924"}, {2000000000, "279037"}, {20000000000, "353130"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(totp_step(rfc_secret, TOTP_SECRET_SIZE, rows[i].code, rows[i].seconds * 1000) ==
                       rows[i].seconds / 30,
                   "%s", rows[i].code);
}

/* 1111111111 is the second second of step 37037037, whose code is 050471. */
static void test_one_step_of_tolerance_six_digits(void)
{
    static const struct {
        const char *label, *code;
        int64_t ms, want;
    } rows[] = {
        {"on its first millisecond", "050471", 1111111110000, 37037037},
        {"on its last", "050471", 1111111139999, 37037037},
        {"one step late", "050471", 1111111140000, 37037037},
        {"the last millisecond of that", "050471", 1111111169999, 37037037},
        {"two steps late", "050471", 1111111170000, -1},
        {"one step early", "050471", 1111111080000, 37037037},
        {"two steps early", "050471", 1111111079999, -1},
        {"another code", "050472", 1111111111000, -1},
        {"eight digits", "14050471", 1111111111000, -1},
        {"seven digits", "4050471", 1111111111000, -1},
        {"five digits", "50471", 1111111111000, -1},
        {"a sign", "+50471", 1111111111000, -1},
        {"letters", "abcdef", 1111111111000, -1},
        {"empty", "", 1111111111000, -1},
        {"before the epoch", "050471", -1, -1},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(totp_step(rfc_secret, TOTP_SECRET_SIZE, rows[i].code, rows[i].ms) ==
                       rows[i].want,
                   "%s", rows[i].label);
}

/* Other systems' secrets: ten bytes in groups of four, 32 bytes with padding, and invalid ones. */
static void test_secrets_of_other_systems(void)
{
    static const struct {
        const char *label, *text, *code;
        size_t size;
    } rows[] = {
        {"ten bytes", "JBSWY3DPEHPK3PXP", "282760", 10}, /* at 0 s, from oathtool */
        {"small letters in groups", "jbsw y3dp ehpk 3pxp", "282760", 10},
        {"32 bytes with padding", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA====", NULL,
         32},
        {"nine bytes", "JBSWY3DPEHPK3PU", NULL, 0},
        {"no base32", "18181818181818181818", NULL, 0},
        {"empty", "", NULL, 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        uint8_t secret[TOTP_SECRET_MAX];
        size_t size = totp_decode(rows[i].text, secret);

        UNIT_CHECK(size == rows[i].size, "%s: %zu bytes", rows[i].label, size);
        UNIT_CHECK(!rows[i].code || totp_step(secret, size, rows[i].code, 0) == 0, "%s",
                   rows[i].label);
    }
}

static void test_the_keys_url(void)
{
    struct arena *arena = arena_new();

    CU_ASSERT_STRING_EQUAL(
        totp_url(arena, rfc_secret, "Lake & \xc3\xa9tang:1", "ana+x@example.org"),
        "otpauth://totp/Lake%20%26%20%C3%A9tang%3A1:ana%2Bx%40example.org"
        "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Lake%20%26%20%C3%A9tang%3A1"
        "&algorithm=SHA1&digits=6&period=30");
    arena_destroy(&arena);
}

static uint8_t *read_picture(const char *url, png_uint_32 *ret_side)
{
    static const char prefix[] = "data:image/png;base64,";
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t png[65536], *pixels;
    size_t size;

    if (strncmp(url, prefix, sizeof(prefix) - 1) != 0 ||
        sodium_base642bin(png, sizeof(png), url + sizeof(prefix) - 1,
                          strlen(url) + 1 - sizeof(prefix), NULL, &size, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0 ||
        !png_image_begin_read_from_memory(&image, png, size))
        return NULL;
    image.format = PNG_FORMAT_GRAY;
    pixels = malloc(PNG_IMAGE_SIZE(image));
    CU_ASSERT_TRUE(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    CU_ASSERT_EQUAL(image.width, image.height);
    *ret_side = image.width;
    return pixels;
}

/* A version 1 code has 21 modules; with a border of four modules and four pixels per module it has
 * 116 pixels. In three corners is a finder of 7 modules: black, white ring, black. */
static void test_the_picture_shows_a_qr_code(void)
{
    struct arena *arena = arena_new();
    png_uint_32 side = 0;
    uint8_t *pixels = read_picture(qr_data_url(arena, "hello"), &side);

    CU_ASSERT_PTR_NOT_NULL_FATAL(pixels);
    CU_ASSERT_EQUAL(side, 116);
    CU_ASSERT_EQUAL(pixels[15 * side + 15], 0xff);
    for (size_t corner = 0; corner < 3; corner++) {
        size_t x = corner == 1 ? 116 - 44 : 16, y = corner == 2 ? 116 - 44 : 16;

        CU_ASSERT_EQUAL(pixels[y * side + x], 0);
        CU_ASSERT_EQUAL(pixels[(y + 4) * side + x + 4], 0xff);
        CU_ASSERT_EQUAL(pixels[(y + 12) * side + x + 12], 0);
        CU_ASSERT_EQUAL(pixels[(y + 27) * side + x + 27], 0);
    }
    free(pixels);
    arena_destroy(&arena);
}

static void test_a_long_text_has_none(void)
{
    struct arena *arena = arena_new();
    char text[3001];

    memset(text, 'a', 3000);
    text[3000] = '\0';
    CU_ASSERT_PTR_NULL(qr_data_url(arena, text));
    arena_destroy(&arena);
}

static const struct unit_case cases[] = {
    CASE(test_codes_are_those_of_rfc_6238), CASE(test_one_step_of_tolerance_six_digits),
    CASE(test_secrets_of_other_systems),    CASE(test_the_keys_url),
    CASE(test_the_picture_shows_a_qr_code), CASE(test_a_long_text_has_none),
};

int main(void)
{
    totp_open();
    return unit_run("authd totp", cases, ARRAY_SIZE(cases));
}

/*
 * test_password_scheme.c - imported password hashes: accepted schemes, costs, and verification of
 * other implementations' hashes (tests/passwords/make.sh).
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#include "common/domain/password_scheme.h"
#include "tests/support/unit.h"

#define B16 "AAECAwQFBgcICQoLDA0ODw"                      /* 16 bytes in base64 */
#define B32 "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8" /* 32 bytes */
#define BCRYPT "abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDu"
#define CRYPT86                                  \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP" \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP12"

static void test_hashes_of_each_form_are_taken(void)
{
    static const struct {
        const char *hash, *name;
        int64_t cost_ms, memory_mib;
    } rows[] = {
        {"$argon2id$v=19$m=19456,t=2,p=1$" B16 "$" B32, "argon2id", 27, 19},
        {"$argon2id$v=19$t=3,p=4,m=65536$" B16 "$" B32, "argon2id", 137, 64},
        {"$argon2i$v=19$m=8,t=1,p=1$" B16 "$" B16, "argon2i", 1, 1},
        {"$argon2i$m=4096,t=3,p=1$" B16 "$" B32, "argon2i", 8, 4},
        {"$argon2d$v=16$m=262144,t=10,p=16$" B16 "$" B32, "argon2d", 1835, 256},
        {"argon2$argon2id$v=19$m=102400,t=2,p=8$" B16 "$" B32, "argon2id", 143, 100},
        {"$2a$10$" BCRYPT, "bcrypt", 44, 1},
        {"$2b$04$" BCRYPT, "bcrypt", 1, 1},
        {"$2y$15$" BCRYPT, "bcrypt", 1409, 1},
        {"bcrypt$$2b$12$" BCRYPT, "bcrypt", 176, 1},
        {"$scrypt$ln=14,r=8,p=1$" B16 "$" B32, "scrypt", 35, 17},
        {"$scrypt$ln=17,r=8,p=1$" B16 "==$" B32 "=", "scrypt", 283, 129},
        {"$scrypt$ln=17,r=15,p=3$" B16 "$" B32, "scrypt", 1592, 241},
        {"$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=" B32 "=$" B16 "$" B32 "=", "firebase-scrypt", 35,
         17},
        {"$fbscrypt$v=1,n=14,r=8,p=1,sk=" B32 "$" B16 "$" B32, "firebase-scrypt", 35, 17},
        {"$pbkdf2$131000$" B16 "$AAECAwQFBgcICQoLDA0ODxAREhM", "pbkdf2-sha1", 65, 1},
        {"$pbkdf2-sha1$i=1000000,l=20$" B16 "$AAECAwQFBgcICQoLDA0ODxAREhM", "pbkdf2-sha1", 500, 1},
        {"$pbkdf2-sha256$29000$" B16 "$" B32, "pbkdf2-sha256", 14, 1},
        {"$pbkdf2-sha256$i=600000$" B16 "$" B32, "pbkdf2-sha256", 300, 1},
        {"$pbkdf2-sha1$i=1000000$" B16 "$" B32, "pbkdf2-sha1", 1000, 1},
        {"$pbkdf2-sha512$i=4000000,l=32$" B16 "$" B32, "pbkdf2-sha512", 2000, 1},
        {"$pbkdf2-sha512$210000$-_./+A$" B32, "pbkdf2-sha512", 105, 1},
        {"pbkdf2_sha256$1200000$a salt is text$" B32 "=", NULL, 0, 0},
        {"pbkdf2_sha256$1200000$asaltistext+-_.$" B32 "=", "pbkdf2-sha256", 600, 1},
        {"pbkdf2_sha1$1200000$x$AAECAwQFBgcICQoLDA0ODxAREhM=", "pbkdf2-sha1", 600, 1},
        {"$6$abcdefgh$" CRYPT86, "sha512-crypt", 7, 1},
        {"$6$rounds=656000$abcdefghijklmnop$" CRYPT86, "sha512-crypt", 984, 1},
    };
    struct password_scheme got;
    const char *why = "";

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int taken = password_scheme_parse(rows[i].hash, &got, &why);

        if (!rows[i].name) {
            UNIT_CHECK(taken < 0, "%s", rows[i].hash);
            continue;
        }
        if (!UNIT_CHECK(taken == 0, "%s: %s", rows[i].hash, why))
            continue;
        UNIT_CHECK(strcmp(got.name, rows[i].name) == 0, "%s: %s", rows[i].hash, got.name);
        UNIT_CHECK(got.cost_ms == rows[i].cost_ms, "%s: %d ms", rows[i].hash, (int)got.cost_ms);
        UNIT_CHECK(got.memory_mib == rows[i].memory_mib, "%s: %d MiB", rows[i].hash,
                   (int)got.memory_mib);
    }
}

static void test_other_texts_are_refused(void)
{
    static const struct {
        const char *hash, *why;
    } rows[] = {
        {NULL, "is empty"},
        {"", "is empty"},
        {"$", "no form"},
        {"$$$$", "no form"},
        {"$$$$$$$$$$$$", "no form"},
        {"secret", "no form"},
        {"5f4dcc3b5aa765d61d8327deb882cf99", "no form"}, /* MD5 */
        {"$1$abcdefgh$abcdefghijklmnopqrstuv", "no form"},
        {"$5$abcdefgh$abc", "no form"},
        {"$2x$10$" BCRYPT, "no form"}, /* crypt_blowfish's bug */
        {"$2$10$" BCRYPT, "no form"},
        {"bcrypt_sha256$$2b$12$" BCRYPT, "no form"},
        {"$argon2$v=19$m=8,t=1,p=1$" B16 "$" B32, "no form"},
        {"$ARGON2ID$v=19$m=8,t=1,p=1$" B16 "$" B32, "no form"},
        {"argon2id$v=19$m=8,t=1,p=1$" B16 "$" B32, "no form"},
        {" $argon2id$v=19$m=8,t=1,p=1$" B16 "$" B32, "no form"},
        {"$argon2id$v=19$m=8,t=1,p=1$" B16 "$" B32 "\n", "no form"},
        {"$argon2id$v=19$m=8,t=1,p=1$" B16 "$" B32 "$", "no form"},
        {"$argon2id$v=19$m=8,t=1,p=1$" B16, "cannot be read"},
        {"$argon2id$v=19$m=8,t=1,p=1", "no form"},
        {"$argon2id$v=19$m=8,t=1$" B16 "$" B32, "cannot be read"},
        {"$argon2id$v=19$m=8,t=1,p=1,p=1$" B16 "$" B32, "cannot be read"},
        {"$argon2id$v=19$m=8,t=1,p=1,$" B16 "$" B32, "cannot be read"},
        {"$argon2id$v=19$,m=8,t=1,p=1$" B16 "$" B32, "cannot be read"},
        {"$argon2id$v=19$m=8,t=1,p=1,keyid=AAAA$" B16 "$" B32, "cannot be read"},
        {"$argon2id$v=19$m=08,t=1,p=1$" B16 "$" B32, "cannot be read"},
        {"$argon2id$v=19$m=-8,t=1,p=1$" B16 "$" B32, "cannot be read"},
        {"$argon2id$v=19$m=,t=1,p=1$" B16 "$" B32, "cannot be read"},
        {"$argon2id$v=19$m=99999999999999999999,t=1,p=1$" B16 "$" B32, "cannot be read"},
        {"$argon2id$v=17$m=8,t=1,p=1$" B16 "$" B32, "version"},
        {"$argon2id$v=19$m=8,t=0,p=1$" B16 "$" B32, "does not allow"},
        {"$argon2id$v=19$m=8,t=1,p=0$" B16 "$" B32, "does not allow"},
        {"$argon2id$v=19$m=8,t=1,p=2$" B16 "$" B32, "does not allow"},
        {"$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBg$" B32, "fewer than 8 bytes"},
        {"$argon2id$v=19$m=8,t=1,p=1$" B16 "$AAECAwQFBgcICQoLDA0O", "fewer than 16 bytes"},
        {"$argon2id$v=19$m=8,t=1,p=1$$" B32, "has no salt"},
        {"$argon2id$v=19$m=8,t=1,p=1$" B16 "$", "fewer than 16 bytes"},
        {"$argon2id$v=19$m=8,t=1,p=1$" B16 "AAA$" B32, "not base64"},
        {"$argon2id$v=19$m=8,t=1,p=1$" B16 "=$" B32, "not base64"},
        {"$argon2id$v=19$m=8,t=1,p=1$" B16 "===$" B32, "not base64"},
        {"$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBgcICQoLDA0ODx$" B32, "not base64"}, /* odd bits */
        {"$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBgcI*QoLDA0ODw$" B32, "not base64"},
        {"$argon2id$v=19$m=8,t=1,p=1$" B16 "$" B32 B32 B32 B32, "not base64"},
        {"$argon2id$v=19$m=262145,t=1,p=1$" B16 "$" B32, "256 MiB"},
        {"$argon2id$v=19$m=2147483647,t=2147483647,p=1$" B16 "$" B32, "256 MiB"},
        {"$argon2id$v=19$m=262144,t=11,p=1$" B16 "$" B32, "2 s"},
        {"$argon2id$v=19$m=262144,t=2147483647,p=1$" B16 "$" B32, "2 s"},
        {"$2b$16$" BCRYPT, "2 s"},
        {"$2b$31$" BCRYPT, "2 s"},
        {"$2b$03$" BCRYPT, "does not allow"},
        {"$2b$32$" BCRYPT, "does not allow"},
        {"$2b$4$" BCRYPT, "no form"},
        {"$2b$4x$" BCRYPT, "cannot be read"},
        {"$2b$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCD", "53 characters"},
        {"$2b$10$" BCRYPT "a", "53 characters"},
        {"$2b$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDv", "53 characters"},
        {"$2b$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzAB=Du", "53 characters"},
        {"$scrypt$ln=18,r=8,p=1$" B16 "$" B32, "256 MiB"},
        {"$scrypt$ln=31,r=2147483647,p=2147483647$" B16 "$" B32, "256 MiB"},
        {"$scrypt$ln=1,r=1,p=2147483647$" B16 "$" B32, "256 MiB"},
        {"$scrypt$ln=10,r=8,p=2000$" B16 "$" B32, "2 s"},
        {"$scrypt$ln=0,r=8,p=1$" B16 "$" B32, "does not allow"},
        {"$scrypt$ln=32,r=8,p=1$" B16 "$" B32, "does not allow"},
        {"$scrypt$ln=14,r=0,p=1$" B16 "$" B32, "does not allow"},
        {"$scrypt$ln=14,r=8,p=0$" B16 "$" B32, "does not allow"},
        {"$scrypt$14,8,1$" B16 "$" B32, "cannot be read"},
        {"$scrypt$$" B16 "$" B32, "cannot be read"},
        {"$fbscrypt$v=1,n=14,r=8,p=1$" B16 "$" B32, "cannot be read"},
        {"$fbscrypt$v=2,n=14,r=8,p=1,sk=" B32 "$" B16 "$" B32, "cannot be read"},
        {"$fbscrypt$v=1,n=14,r=8,p=1,ss=*,sk=" B32 "$" B16 "$" B32, "cannot be read"},
        {"$fbscrypt$v=1,n=14,r=8,p=1,sk=" B16 "$" B16 "$" B32, "signer key"},
        {"$fbscrypt$v=1,n=20,r=8,p=1,sk=" B32 "$" B16 "$" B32, "256 MiB"},
        {"$pbkdf2-sha256$i=4000001$" B16 "$" B32, NULL}, /* estimated at 2000.0005 ms */
        {"$pbkdf2-sha256$i=4002000$" B16 "$" B32, "2 s"},
        {"$pbkdf2-sha1$i=2002000$" B16 "$" B32, "2 s"}, /* SHA-1 needs two blocks */
        {"$pbkdf2-sha256$i=2147483647$" B16 "$" B32, "2 s"},
        {"$pbkdf2-sha256$i=0$" B16 "$" B32, "no iterations"},
        {"$pbkdf2-sha256$0$" B16 "$" B32, "no iterations"},
        {"$pbkdf2-sha256$i=1000,l=16$" B16 "$" B32, "another length"},
        {"$pbkdf2-sha256$$" B16 "$" B32, "cannot be read"},
        {"$pbkdf2-sha384$i=1000$" B16 "$" B32, "no form"},
        {"pbkdf2_sha256$1000$$" B32, "no salt"},
        {"pbkdf2_sha256$1000x$abc$" B32, "cannot be read"},
        {"pbkdf2_sha256$1000$abc", "no form"},
        {"pbkdf2_sha512$1000$abc$" B32, "no form"},
        {"$6$$" CRYPT86, "86 characters"},
        {"$6$abcdefghijklmnopq$" CRYPT86, "86 characters"},
        {"$6$abc=efgh$" CRYPT86, "86 characters"},
        {"$6$abcdefgh$" CRYPT86 "1", "86 characters"},
        {"$6$rounds=999$abcdefgh$" CRYPT86, "does not allow"},
        {"$6$rounds=1000000000$abcdefgh$" CRYPT86, "does not allow"},
        {"$6$rounds=999999999$abcdefgh$" CRYPT86, "2 s"},
        {"$6$rounds=05000$abcdefgh$" CRYPT86, "cannot be read"},
        {"$6$5000$abcdefgh$" CRYPT86, "cannot be read"},
    };
    struct password_scheme got;
    char longest[PASSWORD_SCHEME_TEXT_MAX + 2];
    const char *why = "";

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        why = "taken";
        if (!rows[i].why) {
            UNIT_CHECK(password_scheme_parse(rows[i].hash, &got, &why) == 0, "%s", rows[i].hash);
            continue;
        }
        UNIT_CHECK(password_scheme_parse(rows[i].hash, &got, &why) < 0, "%s", rows[i].hash);
        UNIT_CHECK(strstr(why, rows[i].why) != NULL, "%s: %s", rows[i].hash, why);
    }
    memset(longest, 'a', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    CU_ASSERT_EQUAL(password_scheme_parse(longest, &got, &why), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(why, "512 bytes"));
}

static void test_a_refusal_writes_nothing(void)
{
    struct password_scheme got = {.name = "before"};
    const char *why = "";

    CU_ASSERT_EQUAL(password_scheme_parse("$2b$31$" BCRYPT, &got, &why), -1);
    CU_ASSERT_STRING_EQUAL(got.name, "before");
}

static size_t from_hex(const char *hex, char *ret)
{
    size_t size = strlen(hex) / 2;
    unsigned int byte;

    for (size_t i = 0; i < size; i++)
        ret[i] = (char)(sscanf(hex + 2 * i, "%2x", &byte) == 1 ? byte : 0);
    ret[size] = '\0';
    return size;
}

/* Programs that made the test vectors, and how many, so that a program that make.sh omits is
 * noticed. */
static const struct {
    const char *name;
    size_t vectors;
} makers[] = {{"argon2", 90},     {"argon2-cffi", 60}, {"bcryptjs", 30},
              {"django", 20},     {"firebase", 1},     {"firebase-scrypt", 10},
              {"hash-wasm", 308}, {"passlib", 90},     {"python-bcrypt", 20}};

static void count_maker(size_t counts[static ARRAY_SIZE(makers)], const char *name)
{
    size_t at = 0;

    while (at < ARRAY_SIZE(makers) && strcmp(makers[at].name, name) != 0)
        at++;
    if (UNIT_CHECK(at < ARRAY_SIZE(makers), "an unknown maker: %s", name))
        counts[at]++;
}

static void test_hashes_of_other_implementations_are_verified(void)
{
    bool seen[PASSWORD_ALGORITHM_COUNT] = {false};
    size_t counts[ARRAY_SIZE(makers)] = {0};
    FILE *file = fopen("tests/passwords/vectors.tsv", "r");
    char line[2048];

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    while (fgets(line, sizeof(line), file)) {
        char *maker = strtok(line, "\t"), *hex = strtok(NULL, "\t"), *hash = strtok(NULL, "\n");
        struct password_scheme scheme;
        char password[512];
        const char *why = "";

        if (*maker == '#')
            continue;
        from_hex(hex, password);
        if (!UNIT_CHECK(password_scheme_parse(hash, &scheme, &why) == 0, "%s: %s", hash, why))
            continue;
        seen[scheme.algorithm] = true;
        count_maker(counts, maker);
        UNIT_CHECK(password_scheme_verify(&scheme, password) == 1, "%s %s", maker, hash);
        password[0] ^= 1;
        UNIT_CHECK(password_scheme_verify(&scheme, password) == 0, "wrong: %s %s", maker, hash);
        UNIT_CHECK(password_scheme_verify(&scheme, "") == 0, "empty: %s %s", maker, hash);
    }
    fclose(file);
    for (size_t i = 0; i < ARRAY_SIZE(makers); i++)
        UNIT_CHECK(counts[i] == makers[i].vectors, "%zu vectors of %s", counts[i], makers[i].name);
    for (size_t i = 0; i < ARRAY_SIZE(seen); i++)
        UNIT_CHECK(seen[i], "algorithm %zu", i);
}

static void test_an_altered_hash_is_wrong(void)
{
    static const char password[] = "user1password";
    static const char hash[] = "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3M"
                               "cFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC"
                               "+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjT"
                               "dn3aoItz+VHjoZilo78198JAdRuid5lQ==";
    struct password_scheme scheme, other;
    const char *why = "";

    CU_ASSERT_EQUAL_FATAL(password_scheme_parse(hash, &scheme, &why), 0);
    scheme.memory = 4; /* cheaper, and another hash */
    CU_ASSERT_EQUAL(password_scheme_verify(&scheme, password), 0);
    scheme.memory = 14;
    CU_ASSERT_EQUAL(password_scheme_verify(&scheme, password), 1);
    other = scheme;
    other.hash.bytes[63] ^= 1;
    CU_ASSERT_EQUAL(password_scheme_verify(&other, password), 0);
    other = scheme;
    other.separator.size = 0;
    CU_ASSERT_EQUAL(password_scheme_verify(&other, password), 0);
    other = scheme;
    other.key.bytes[63] ^= 1;
    CU_ASSERT_EQUAL(password_scheme_verify(&other, password), 0);
}

/* libxcrypt's limit for sha512crypt is 511 bytes. A longer password takes the same time and is
 * wrong. The hashes are passlib's. */
static void test_the_longest_password_of_sha512crypt(void)
{
    static const char hash511[] =
        "$6$rounds=1000$abcdefgh$"
        "E.zEbhCVsARL5qFVN0YAyYlLNeY7R26PHT68UmiwwSHP5O8KDB1makgsfPpF8ZQ89T8YvBLD6zVd2lF5VaMt/.";
    static const char hash512[] =
        "$6$rounds=1000$abcdefgh$"
        "892kNcvcnuWOpf.r6Ky0u9wDubovfxM1Eaiev1IqDEcIDfcsw1APBkWgeZ8uwbLtfpri8dn3y9n7ywqVJv42Y0";
    struct password_scheme scheme;
    char password[4097];
    const char *why = "";

    memset(password, 'y', sizeof(password));
    password[511] = '\0';
    CU_ASSERT_EQUAL_FATAL(password_scheme_parse(hash511, &scheme, &why), 0);
    CU_ASSERT_EQUAL(password_scheme_verify(&scheme, password), 1);
    password[511] = 'y';
    password[512] = '\0';
    CU_ASSERT_EQUAL(password_scheme_verify(&scheme, password), 0);
    CU_ASSERT_EQUAL_FATAL(password_scheme_parse(hash512, &scheme, &why), 0);
    CU_ASSERT_EQUAL(password_scheme_verify(&scheme, password), 0);
    password[512] = 'y';
    password[4096] = '\0';
    CU_ASSERT_EQUAL(password_scheme_verify(&scheme, password), 0);
}

static void test_bcrypt_reads_72_bytes(void)
{
    static const char hash[] = "$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i";
    struct password_scheme scheme;
    char password[4097];
    const char *why = "";

    memset(password, 'x', sizeof(password));
    password[4096] = '\0';
    CU_ASSERT_EQUAL_FATAL(password_scheme_parse(hash, &scheme, &why), 0);
    CU_ASSERT_EQUAL(password_scheme_verify(&scheme, password), 1);
    password[72] = '\0';
    CU_ASSERT_EQUAL(password_scheme_verify(&scheme, password), 1);
    password[71] = '\0';
    CU_ASSERT_EQUAL(password_scheme_verify(&scheme, password), 0);
}

static void test_without_memory_it_is_not_wrong(void)
{
    static const char *const hashes[] = {
        "$argon2id$v=19$m=262144,t=1,p=1$" B16 "$" B32,
        "$argon2i$v=19$m=262144,t=1,p=1$" B16 "$" B32,
        "$argon2d$v=19$m=262144,t=1,p=1$" B16 "$" B32,
        "$argon2id$m=262144,t=1,p=1$" B16 "$" B32,
        "$scrypt$ln=17,r=15,p=1$" B16 "$" B32,
        "$fbscrypt$v=1,n=17,r=15,p=1,sk=" B32 "$" B16 "$" B32,
    };
    const struct rlimit little = {192UL << 20, RLIM_INFINITY};
    struct rlimit before;
    struct password_scheme scheme;
    const char *why = "";

    if (UNIT_KEPT_KIB > 0 || RUNNING_ON_VALGRIND > 0) {
        unit_leave_out("AddressSanitizer and Valgrind need address space of their own");
        return;
    }
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_AS, &before), 0);
    for (size_t i = 0; i < ARRAY_SIZE(hashes); i++) {
        int result;

        CU_ASSERT_EQUAL_FATAL(password_scheme_parse(hashes[i], &scheme, &why), 0);
        CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_AS, &little), 0);
        result = password_scheme_verify(&scheme, "password");
        CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_AS, &before), 0);
        UNIT_CHECK(result == -1, "%s: %d", hashes[i], result);
    }
}

static const struct unit_case cases[] = {
    CASE(test_hashes_of_each_form_are_taken),
    CASE(test_other_texts_are_refused),
    CASE(test_a_refusal_writes_nothing),
    CASE(test_hashes_of_other_implementations_are_verified),
    CASE(test_an_altered_hash_is_wrong),
    CASE(test_the_longest_password_of_sha512crypt),
    CASE(test_bcrypt_reads_72_bytes),
    CASE(test_without_memory_it_is_not_wrong),
};

int main(void)
{
    return unit_run("password scheme", cases, ARRAY_SIZE(cases));
}

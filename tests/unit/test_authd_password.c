/*
 * test_authd_password.c - the memory for password hashing: assignment, use by libsodium, and
 * cleaning.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#include "authd/credential/password.h"
#include "authd/credential/password_memory.h"
#include "tests/support/unit.h"

enum { FRESH = MAP_ANONYMOUS | MAP_PRIVATE, PAGE = 4096 };

/* Maps memory as libsodium does. */
static uint8_t *map_piece(void)
{
    return mmap(NULL, PASSWORD_MEMLIMIT, PROT_READ | PROT_WRITE, FRESH | MAP_POPULATE, -1, 0);
}

static bool is_clear(const uint8_t *bytes)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, PASSWORD_MEMLIMIT - 1) == 0;
}

static bool is_gone(uint8_t *bytes)
{
    unsigned char resident;

    return mincore(bytes, PAGE, &resident) < 0 && errno == ENOMEM;
}

static long faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

static void hash_verifies(const char *hash, const char *password, const char *label)
{
    UNIT_CHECK(crypto_pwhash_str_verify(hash, password, strlen(password)) == 0, "%s", label);
    UNIT_CHECK(crypto_pwhash_str_verify(hash, "another", 7) != 0, "%s", label);
}

static void test_hashes_are_the_same(void)
{
    static const char password[] = "correct horse";
    char own[crypto_pwhash_STRBYTES], kept[crypto_pwhash_STRBYTES], older[crypto_pwhash_STRBYTES];
    struct password_memory *memory = password_memory_new();

    CU_ASSERT_EQUAL(crypto_pwhash_str(own, password, strlen(password), PASSWORD_OPSLIMIT,
                                      PASSWORD_MEMLIMIT),
                    0);
    CU_ASSERT_EQUAL(crypto_pwhash_str(older, password, strlen(password), 3, 8 * 1024 * 1024), 0);
    password_memory_acquire(memory);
    CU_ASSERT_EQUAL(crypto_pwhash_str(kept, password, strlen(password), PASSWORD_OPSLIMIT,
                                      PASSWORD_MEMLIMIT),
                    0);
    hash_verifies(own, password, "made in its own memory");
    hash_verifies(older, password, "made with other parameters");
    password_memory_release(memory);
    hash_verifies(kept, password, "made in kept memory");
    password_memory_destroy(&memory);
}

static bool may_be_huge(const void *address)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    bool within = false, huge = false;
    unsigned long from, to;
    char line[512];

    while (maps && fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            within = from <= (unsigned long)address && (unsigned long)address < to;
        else if (within && strncmp(line, "VmFlags:", 8) == 0)
            huge = strstr(line, " hg") != NULL;
    }
    if (maps)
        fclose(maps);
    return huge;
}

/* Checks for huge pages: a hash in pages of 4 KiB takes a sixth longer, because most of its reads
 * miss the TLB. */
static void check_huge_pages(const void *piece)
{
    CU_ASSERT_EQUAL((uintptr_t)piece % (2 * 1024 * 1024), 0);
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) == 0)
        CU_ASSERT_TRUE(may_be_huge(piece));
}

/* Five hashes touch fewer new pages than one of them needs, which proves that memory is reused, and
 * none finds data of the one before. */
static void test_libsodium_works_in_it_and_nothing_stays(void)
{
    char hash[crypto_pwhash_STRBYTES];
    struct password_memory *memory = password_memory_new();
    uint8_t *piece;
    long before;

    password_memory_acquire(memory);
    before = faults();
    for (int i = 0; i < 5; i++) {
        CU_ASSERT_EQUAL(crypto_pwhash_str(hash, "secret", 6, PASSWORD_OPSLIMIT, PASSWORD_MEMLIMIT),
                        0);
    }
    UNIT_CHECK(faults() - before < PASSWORD_MEMLIMIT / PAGE, "%ld faults", faults() - before);
    piece = map_piece();
    CU_ASSERT_TRUE(is_clear(piece));
    check_huge_pages(piece);
    munmap(piece, PASSWORD_MEMLIMIT);
    password_memory_release(memory);
    password_memory_destroy(&memory);
}

/* Only one mapping at a time gets the piece, and only one like libsodium's; the kernel serves all
 * others. */
static void test_other_mappings_are_the_kernels(void)
{
    static const struct {
        const char *label;
        size_t size;
        int protection, flags;
    } rows[] = {
        {"smaller", PASSWORD_MEMLIMIT - PAGE, PROT_READ | PROT_WRITE, FRESH},
        {"larger", PASSWORD_MEMLIMIT + PAGE, PROT_READ | PROT_WRITE, FRESH},
        {"read only", PASSWORD_MEMLIMIT, PROT_READ, FRESH},
        {"shared", PASSWORD_MEMLIMIT, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED},
    };
    struct password_memory *memory = password_memory_new();
    uint8_t *piece, *other;

    password_memory_acquire(memory);
    piece = map_piece();
    other = map_piece();
    CU_ASSERT_PTR_NOT_EQUAL(other, piece);
    CU_ASSERT_EQUAL(munmap(other, PASSWORD_MEMLIMIT), 0);
    CU_ASSERT_TRUE(is_gone(other));
    memset(piece, 1, PASSWORD_MEMLIMIT);
    CU_ASSERT_EQUAL(munmap(piece, PASSWORD_MEMLIMIT), 0);
    CU_ASSERT_FALSE(is_gone(piece));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        other = mmap(NULL, rows[i].size, rows[i].protection, rows[i].flags, -1, 0);
        UNIT_CHECK(other != MAP_FAILED && other != piece, "%s", rows[i].label);
        UNIT_CHECK(munmap(other, rows[i].size) == 0 && is_gone(other), "%s", rows[i].label);
    }
    other = map_piece();
    CU_ASSERT_PTR_EQUAL(other, piece);
    CU_ASSERT_TRUE(is_clear(other));
    munmap(other, PASSWORD_MEMLIMIT);
    password_memory_release(memory);
    other = map_piece();
    CU_ASSERT_PTR_NOT_EQUAL(other, piece);
    munmap(other, PASSWORD_MEMLIMIT);
    password_memory_destroy(&memory);
    CU_ASSERT_TRUE(is_gone(piece));
    CU_ASSERT_PTR_EQUAL(mmap(NULL, 0, PROT_READ, FRESH, -1, 0), MAP_FAILED);
    CU_ASSERT_EQUAL(errno, EINVAL);
}

struct borrower {
    struct password_memory *memory;
    pthread_barrier_t *together;
    uint8_t *piece;
};

static void *borrow(void *arg)
{
    struct borrower *self = arg;

    password_memory_acquire(self->memory);
    self->piece = map_piece();
    memset(self->piece, 1, PASSWORD_MEMLIMIT);
    pthread_barrier_wait(self->together);
    munmap(self->piece, PASSWORD_MEMLIMIT);
    password_memory_release(self->memory);
    return NULL;
}

/* Threads that hash concurrently have a piece each. A piece that was unused between two trims is
 * returned to the kernel. */
static void test_pieces_are_kept_while_they_are_used(void)
{
    struct password_memory *memory = password_memory_new();
    pthread_barrier_t together;
    struct borrower both[2];
    pthread_t threads[2];
    uint8_t *last;

    pthread_barrier_init(&together, NULL, 2);
    for (size_t i = 0; i < 2; i++) {
        both[i] = (struct borrower){.memory = memory, .together = &together};
        pthread_create(&threads[i], NULL, borrow, &both[i]);
    }
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_PTR_NOT_EQUAL(both[0].piece, both[1].piece);
    password_memory_trim(memory);
    password_memory_acquire(memory);
    last = map_piece();
    CU_ASSERT_TRUE(last == both[0].piece || last == both[1].piece);
    munmap(last, PASSWORD_MEMLIMIT);
    password_memory_release(memory);
    password_memory_trim(memory);
    for (size_t i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(is_gone(both[i].piece), both[i].piece != last);
    password_memory_trim(memory);
    CU_ASSERT_TRUE(is_gone(last));
    pthread_barrier_destroy(&together);
    password_memory_destroy(&memory);
}

/* A thread that got no piece still hashes. If it cannot, it says so: without memory libsodium
 * refuses a right password like a wrong one, also for hashes with other parameters. Not run under
 * AddressSanitizer or valgrind, which need memory here. */
static void test_no_memory_is_no_harm(void)
{
    char hash[crypto_pwhash_STRBYTES], older[crypto_pwhash_STRBYTES];
    struct password_memory *memory;
    struct rlimit before, tight;

    if (UNIT_KEPT_KIB > 0 || RUNNING_ON_VALGRIND > 0)
        return;
    memory = password_memory_new();
    CU_ASSERT_EQUAL(crypto_pwhash_str(older, "secret", 6, 3, 8 * 1024 * 1024), 0);
    getrlimit(RLIMIT_AS, &before);
    tight = before;
    tight.rlim_cur = 1;
    setrlimit(RLIMIT_AS, &tight);
    password_memory_acquire(memory);
    CU_ASSERT_NOT_EQUAL(crypto_pwhash_str(hash, "secret", 6, PASSWORD_OPSLIMIT, PASSWORD_MEMLIMIT),
                        0);
    CU_ASSERT_TRUE(password_memory_failed());
    password_memory_release(memory);
    setrlimit(RLIMIT_AS, &before);
    password_memory_acquire(memory);
    CU_ASSERT_EQUAL(crypto_pwhash_str(hash, "secret", 6, PASSWORD_OPSLIMIT, PASSWORD_MEMLIMIT), 0);
    CU_ASSERT_FALSE(password_memory_failed());
    password_memory_release(memory);
    hash_verifies(hash, "secret", "hashed after memory was short");
    password_memory_acquire(memory);
    setrlimit(RLIMIT_AS, &tight);
    CU_ASSERT_NOT_EQUAL(crypto_pwhash_str_verify(older, "secret", 6), 0);
    setrlimit(RLIMIT_AS, &before);
    CU_ASSERT_TRUE(password_memory_failed());
    password_memory_release(memory);
    password_memory_destroy(&memory);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_hashes_are_the_same),
        CASE(test_libsodium_works_in_it_and_nothing_stays),
        CASE(test_other_mappings_are_the_kernels),
        CASE(test_pieces_are_kept_while_they_are_used),
        CASE(test_no_memory_is_no_harm),
    };

    if (sodium_init() < 0)
        return 1;
    return unit_run("password", cases, ARRAY_SIZE(cases));
}

/*
 * test_documents_kill.c - docd, gateway and PostgreSQL killed during transfers, and races of two
 * docd behind two gateways: acknowledged documents are complete, others leave nothing.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/document.h"
#include "tests/support/unit.h"

enum { SIZE = 3 * 1024 * 1024, LOADERS = 4, MANY = 16 };

static struct suite *suite;
static struct person *patient;

static struct http_answer *replace(const char *id)
{
    return http_post(suite_url(suite), document_path(id), patient->access,
                     json_pack("{s:s, s:s}", "fileName", "a", "contentType", "a/b"));
}

static void drop(const char *id)
{
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);

    CHECK_STATUS(gone, 200);
}

struct half {
    struct http_answer *made;
    char *bytes;
    struct form_body form;
    int connection;
};

static struct half half_begin(unsigned seed)
{
    struct half half = {.made = document_make(suite, patient->access, "a", "a/b"),
                        .bytes = test_bytes(SIZE, seed)};

    CHECK_STATUS(half.made, 200);
    half.form = form_body_of(http_member(half.made, "uploadOptions.fields"), half.bytes, SIZE);
    half.connection = form_open(suite, &half.form, NULL);
    form_send(half.connection, half.form.bytes, half.form.size / 2);
    usleep(150000);
    return half;
}

static int half_end(struct half *half)
{
    form_send(half->connection, half->form.bytes + half->form.size / 2,
              half->form.size - half->form.size / 2);
    return form_answer(half->connection);
}

/* Checks that after a 204 the file exists, and that otherwise it does not and the form can be sent
 * again. */
static void half_check(struct half *half, int status, const char *label)
{
    const char *id = http_text(half->made, "id");
    HTTP_ANSWER read = document_get(suite, patient->access, id);

    if (status == 204) {
        CHECK_BYTES(read, half->bytes, SIZE);
    } else {
        UNIT_CHECK(read->status == 404, "%s: %d", label, read->status);
        HTTP_ANSWER again = form_post(suite, NULL, &half->form);
        CHECK_STATUS(again, 204);
        HTTP_ANSWER later = document_get(suite, patient->access, id);
        CHECK_BYTES(later, half->bytes, SIZE);
    }
    drop(id);
    form_body_free(&half->form);
    free(half->bytes);
    http_answer_destroy(&half->made);
}

static void an_upload_survives_docd(void)
{
    struct half half = half_begin(1);
    pid_t first = suite_pid(suite, "docd", "1"), second = suite_pid(suite, "docd", "2");

    suite_signal(suite, "docd", "1", SIGKILL);
    suite_signal(suite, "docd", "2", SIGKILL);
    int status = half_end(&half);
    CU_ASSERT_EQUAL(status, 204);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "2", second));
    half_check(&half, status, "docd killed");
    CU_ASSERT_EQUAL(stored_files(suite), 0);
}

static void an_upload_dies_with_its_gateway(void)
{
    struct half half = half_begin(2);
    pid_t first = suite_pid(suite, "gateway", "1"), second = suite_pid(suite, "gateway", "2");

    suite_signal(suite, "gateway", "1", SIGKILL);
    suite_signal(suite, "gateway", "2", SIGKILL);
    int status = half_end(&half);
    CU_ASSERT_EQUAL(status, 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "gateway", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "gateway", "2", second));
    CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
    CU_ASSERT_EQUAL(stored_files(suite), 1);
    HTTP_ANSWER read = document_get(suite, patient->access, http_text(half.made, "id"));
    CHECK_ERROR(read, 404, "File not uploaded yet.");
    HTTP_ANSWER again = form_post(suite, NULL, &half.form);
    CHECK_STATUS(again, 204);
    CU_ASSERT_EQUAL(stored_files(suite), 2);
    suite_set_clock(suite, 25 * 3600);
    CU_ASSERT_TRUE(stored_files_become(suite, 1, 10000));
    suite_set_clock(suite, 0);
    half_check(&half, 204, "gateway killed");
    CU_ASSERT_EQUAL(stored_files(suite), 0);
}

/* Waits until many consecutive responses show that both docd can read and write the database. */
static bool recovers(void)
{
    static const char nobody[] = "/document/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b";
    int good = 0;

    for (int i = 0; i < 1000 && good < 20; i++) {
        HTTP_ANSWER list = http_get(suite_url(suite), "/document?_count=1", patient->access);
        HTTP_ANSWER none = http_delete(suite_url(suite), nobody, patient->access);

        good = list->status == 200 && none->status == 404 ? good + 1 : 0;
        usleep(good > 0 ? 0 : 20000);
    }
    return good == 20;
}

static void an_upload_meets_a_dead_database(void)
{
    for (int i = 0; i < 3; i++) {
        struct half half = half_begin((unsigned)i + 3);
        int status;

        form_send(half.connection, half.form.bytes + half.form.size / 2,
                  half.form.size - half.form.size / 2 - 10);
        usleep(150000); /* all bytes are there, the form's last boundary is not */
        kill(suite_pid(suite, "postgres", ""), i == 1 ? SIGINT : SIGQUIT);
        usleep(i == 2 ? 0 : 20000);
        form_send(half.connection, half.form.bytes + half.form.size - 10, 10);
        status = form_answer(half.connection);
        UNIT_CHECK(status == 204 || status == 503, "%d", status);
        CU_ASSERT_TRUE(recovers());
        HTTP_ANSWER read = document_get(suite, patient->access, http_text(half.made, "id"));
        UNIT_CHECK(status != 204 || read->status == 200, "%d after 204", read->status);
        if (read->status == 200)
            CHECK_BYTES(read, half.bytes, SIZE);
        HTTP_ANSWER again = form_post(suite, NULL, &half.form);
        CHECK_STATUS(again, 204);
        half_check(&half, 204, "database killed");
    }
    suite_set_clock(suite, 25 * 3600);
    CU_ASSERT_TRUE(stored_files_become(suite, 0, 10000));
    suite_set_clock(suite, 0);
}

struct load {
    atomic_bool stop;
    atomic_int good, refused, cut, wrong;
    pthread_t threads[LOADERS];
};

static void *load_thread(void *arg)
{
    struct load *load = arg;
    static atomic_uint seeds;

    while (!atomic_load(&load->stop)) {
        unsigned seed = atomic_fetch_add(&seeds, 1);
        size_t size = seed % 3 ? 40000 : 700000;
        char *bytes = test_bytes(size, seed), path[128];
        HTTP_ANSWER made = document_make(suite, patient->access, "a", "a/b");
        HTTP_ANSWER uploaded =
            made->status == 200 ? document_upload(suite, made, bytes, size) : NULL;

        if (!uploaded || uploaded->status != 204) {
            int status = uploaded ? uploaded->status : made->status;

            atomic_fetch_add(status == 503 ? &load->refused
                             : status == 0 ? &load->cut
                                           : &load->wrong,
                             1);
            if (status != 503 && status != 0)
                fprintf(stderr, "load: upload %d\n", status);
        }
        snprintf(path, sizeof(path), "/document/%s", http_text(made, "id"));
        for (int tries = 0; uploaded && uploaded->status == 204; tries++) {
            HTTP_ANSWER read = http_get(suite_url(suite), path, patient->access);

            if (read->status == 200 && read->size == size && memcmp(read->body, bytes, size) == 0) {
                atomic_fetch_add(&load->good, 1);
                break;
            }
            /* 0 and a partial body mean that the connection was cut; retry both */
            if ((read->status != 503 && read->status != 0 && read->size >= size) || tries == 100) {
                atomic_fetch_add(&load->wrong, 1);
                fprintf(stderr, "load: read %d, %zu of %zu\n", read->status, read->size, size);
                break;
            }
            usleep(20000);
        }
        free(bytes);
    }
    return NULL;
}

static void kills_under_load_lose_nothing(void)
{
    static const char *const victims[] = {"docd", "gateway", "docd", "docd", "gateway", "docd"};
    struct load *load = calloc(1, sizeof(*load));

    for (int i = 0; i < LOADERS; i++)
        pthread_create(&load->threads[i], NULL, load_thread, load);
    for (size_t i = 0; i < ARRAY_SIZE(victims); i++) {
        const char *instance = i % 2 ? "2" : "1";
        pid_t pid = suite_pid(suite, victims[i], instance);

        usleep(400000);
        suite_signal(suite, victims[i], instance, SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, victims[i], instance, pid));
    }
    atomic_store(&load->stop, true);
    for (int i = 0; i < LOADERS; i++)
        pthread_join(load->threads[i], NULL);
    fprintf(stderr, "  %d uploads, %d refused, %d cut\n", atomic_load(&load->good),
            atomic_load(&load->refused), atomic_load(&load->cut));
    CU_ASSERT_TRUE(atomic_load(&load->good) > 20);
    CU_ASSERT_EQUAL(atomic_load(&load->wrong), 0);
    free(load);
    /* Every file belongs to a document or has a recorded removal. */
    char *lost =
        suite_query(suite,
                    "select count(*) from doc.object o where o.sweep_at is null and not exists "
                    "(select from doc.document d where d.object_id = o.id)");
    CU_ASSERT_STRING_EQUAL(lost, "0");
    free(lost);
    char *missing = suite_query(suite, "select count(*) from doc.document d where d.object_id is "
                                       "not null and not exists (select from doc.object o where "
                                       "o.id = d.object_id and o.sweep_at is null)");
    CU_ASSERT_STRING_EQUAL(missing, "0");
    free(missing);
    suite_set_clock(suite, 25 * 3600);
    char *kept =
        suite_query(suite, "select count(*) from doc.document where object_id is not null");
    CU_ASSERT_TRUE(stored_files_become(suite, (size_t)strtol(kept, NULL, 10), 20000));
    free(kept);
    suite_set_clock(suite, 0);
}

static void a_download_survives_docd(void)
{
    enum { LARGE = 40 * 1024 * 1024 };
    char *bytes = test_bytes(LARGE, 77), *id, head[2048], *got = malloc(LARGE + 4096);
    size_t size = 0;
    ssize_t more;
    struct form_body nothing = {.size = 0};
    int connection, small = 64 * 1024;

    id = document_put(suite, patient->access, "a", "a/b", bytes, LARGE);
    connection = form_open(suite, &nothing, NULL); /* only a connection: it is closed unused */
    close(connection);
    connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(connection, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    to.sin_port = htons((uint16_t)strtol(strrchr(suite_url(suite), ':') + 1, NULL, 10));
    CU_ASSERT_EQUAL(connect(connection, (struct sockaddr *)&to, sizeof(to)), 0);
    form_send(connection, head,
              (size_t)snprintf(head, sizeof(head),
                               "GET /document/%s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                               "Authorization: Bearer %s\r\n\r\n",
                               id, patient->access));
    for (int kills = 0; (more = recv(connection, got + size, LARGE + 4096 - size, 0)) > 0;) {
        size += (size_t)more;
        if (size / (LARGE / 4) > (size_t)kills && kills < 3) {
            pid_t first = suite_pid(suite, "docd", "1");

            kills++;
            suite_signal(suite, "docd", "1", SIGKILL);
            suite_signal(suite, "docd", "2", SIGKILL);
            CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", first));
        }
    }
    close(connection);
    const char *body = memmem(got, size, "\r\n\r\n", 4);
    CU_ASSERT_PTR_NOT_NULL(body);
    CU_ASSERT_TRUE(body && size - (size_t)(body + 4 - got) == LARGE &&
                   memcmp(body + 4, bytes, LARGE) == 0);
    CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
    drop(id);
    free(id);
    free(got);
    free(bytes);
}

/* A download is cut when its gateway dies. The client notices that and continues with a range. */
static void a_download_dies_with_its_gateway(void)
{
    enum { LARGE = 20 * 1024 * 1024 };
    char *bytes = test_bytes(LARGE, 78), *got = malloc(LARGE + 4096), head[2048], range[64];
    char *id = document_put(suite, patient->access, "a", "a/b", bytes, LARGE);
    pid_t first = suite_pid(suite, "gateway", "1"), second = suite_pid(suite, "gateway", "2");
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 64 * 1024;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    size_t size = 0, have;
    ssize_t more;

    setsockopt(connection, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    to.sin_port = htons((uint16_t)strtol(strrchr(suite_url(suite), ':') + 1, NULL, 10));
    CU_ASSERT_EQUAL(connect(connection, (struct sockaddr *)&to, sizeof(to)), 0);
    form_send(connection, head,
              (size_t)snprintf(head, sizeof(head),
                               "GET /document/%s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                               "Authorization: Bearer %s\r\n\r\n",
                               id, patient->access));
    for (bool killed = false; (more = recv(connection, got + size, LARGE + 4096 - size, 0)) > 0;) {
        size += (size_t)more;
        if (size > LARGE / 4 && !killed) {
            killed = true;
            suite_signal(suite, "gateway", "1", SIGKILL);
            suite_signal(suite, "gateway", "2", SIGKILL);
        }
    }
    close(connection);
    const char *body = memmem(got, size, "\r\n\r\n", 4);
    CU_ASSERT_PTR_NOT_NULL_FATAL(body);
    have = size - (size_t)(body + 4 - got);
    CU_ASSERT_TRUE_FATAL(have > 0 && have < LARGE);
    CU_ASSERT_EQUAL(memcmp(body + 4, bytes, have), 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "gateway", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "gateway", "2", second));
    CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
    snprintf(range, sizeof(range), "Range: bytes=%zu-", have);
    HTTP_ANSWER rest = http_call(suite_url(suite), &(struct http_request){.path = document_path(id),
                                                                          .bearer = patient->access,
                                                                          .headers = {range}});
    CHECK_STATUS(rest, 206);
    CU_ASSERT_TRUE(rest->size == LARGE - have && memcmp(rest->body, bytes + have, rest->size) == 0);
    drop(id);
    free(id);
    free(got);
    free(bytes);
}

static void the_last_of_all_forms_wins(void)
{
    for (int round = 0; round < 5; round++) {
        struct http_request requests[MANY];
        struct http_answer *answers[MANY], *made[MANY];
        struct form_body forms[MANY];
        char *bytes[MANY], *id;

        made[0] = document_make(suite, patient->access, "a", "a/b");
        id = strdup(http_text(made[0], "id"));
        for (int i = 0; i < MANY; i++) {
            if (i > 0)
                made[i] = replace(id);
            bytes[i] = test_bytes(50000, (unsigned)(round * MANY + i));
            forms[i] = form_body_of(http_member(made[i], "uploadOptions.fields"), bytes[i], 50000);
            requests[(i * 7) % MANY] = (struct http_request){.method = "POST",
                                                             .path = "/storage/documents",
                                                             .raw = forms[i].bytes,
                                                             .raw_size = forms[i].size,
                                                             .content_type = forms[i].type};
        }
        http_call_many(suite_url(suite), requests, MANY, MANY, answers);
        CU_ASSERT_EQUAL(answers[((MANY - 1) * 7) % MANY]->status, 204);
        for (int i = 0; i < MANY; i++)
            UNIT_CHECK(answers[i]->status == 204 || answers[i]->status == 403, "%d",
                       answers[i]->status);
        HTTP_ANSWER read = document_get(suite, patient->access, id);
        CHECK_BYTES(read, bytes[MANY - 1], 50000);
        drop(id);
        for (int i = 0; i < MANY; i++) {
            form_body_free(&forms[i]);
            free(bytes[i]);
            http_answer_destroy(&made[i]);
        }
        http_answers_destroy(answers, MANY);
        free(id);
    }
    CU_ASSERT_EQUAL(stored_files(suite), 0);
}

/* Concurrent openings make one token; one of several concurrent deletions succeeds. */
static void one_token_and_one_deletion(void)
{
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *id = document_put(suite, patient->access, "a", "a/b", "xyz", 3), path[128];
    int deleted = 0;

    snprintf(path, sizeof(path), "/document/%s", id);
    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "PATCH",
                                            .path = path,
                                            .bearer = patient->access,
                                            .raw = "{\"isPublic\":true}"};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        CU_ASSERT_EQUAL(answers[i]->status, 200);
        CU_ASSERT_STRING_EQUAL(http_text(answers[i], "publicToken"),
                               http_text(answers[0], "publicToken"));
    }
    http_answers_destroy(answers, MANY);
    for (int i = 0; i < MANY; i++)
        requests[i] =
            (struct http_request){.method = "DELETE", .path = path, .bearer = patient->access};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        deleted += answers[i]->status == 200;
        UNIT_CHECK(answers[i]->status == 200 || answers[i]->status == 404, "%d",
                   answers[i]->status);
    }
    CU_ASSERT_EQUAL(deleted, 1);
    http_answers_destroy(answers, MANY);
    CU_ASSERT_EQUAL(stored_files(suite), 0);
    free(id);
}

static void a_deletion_beats_the_upload(void)
{
    for (int i = 0; i < 5; i++) {
        struct half half = half_begin((unsigned)i + 40);

        drop(http_text(half.made, "id"));
        CU_ASSERT_EQUAL(half_end(&half), 403);
        form_body_free(&half.form);
        free(half.bytes);
        http_answer_destroy(&half.made);
    }
    CU_ASSERT_TRUE(stored_files_become(suite, 0, 5000));
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(an_upload_survives_docd),          CASE(a_download_survives_docd),
    CASE(a_download_dies_with_its_gateway), CASE(an_upload_dies_with_its_gateway),
    CASE(an_upload_meets_a_dead_database),  CASE(the_last_of_all_forms_wins),
    CASE(one_token_and_one_deletion),       CASE(a_deletion_beats_the_upload),
    CASE(kills_under_load_lose_nothing),    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "docd=2,gateway=2", .test_clock = true});
    patient = person_register(suite, NULL);
    return unit_run("documents under kills", cases, ARRAY_SIZE(cases));
}

/*
 * test_authd_mail_domain.c - business addresses: lists, suffixes, and evasive spellings.
 */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "authd/account/mail_domain.h"
#include "tests/support/unit.h"

static const char *const none[] = {NULL};

static const struct mail_domains_options built_in = {.business = none, .free_mail = none};

struct row {
    const char *label, *domain;
    bool business;
};

static void check_rows(const struct mail_domains_options *options, const struct row *rows,
                       size_t count)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct mail_domains *domains;
    struct error err;

    error_init(&err, arena);
    domains = mail_domains_new(options, arena, &err);
    UNIT_REQUIRE(domains != NULL, "%s", err.message);
    for (size_t i = 0; i < count; i++)
        UNIT_CHECK(mail_domains_business(domains, arena, rows[i].domain) == rows[i].business,
                   "%s: %s", rows[i].label, rows[i].domain);
}

static void test_domains(void)
{
    static const struct row rows[] = {
        {"a hospital", "charite.de", true},
        {"below it", "mail.charite.de", true},
        {"two labels of suffix", "lakeside.co.uk", true},
        {"below that", "staff.ward3.lakeside.co.uk", true},
        {"under a suffix of a wildcard", "lakeside.com.ck", true},
        {"an exception of that wildcard", "www.ck", true},
        {"an unknown top level", "lakeside.example", true},
        {"name of a provider elsewhere", "gmail.lakeside.example", true},
        {"ends like a provider", "notgmail.com.example", true},
        {"hyphen", "not-gmail.com", true},
        {"ends in a provider's name", "xgmail-lakeside.com", true},
        {"IDN", "klinik-m\xc3\xbcnchen.de", true},
        {"the same as A-labels", "xn--klinik-mnchen-jlb.de", true},
        {"unicode suffix", "lakeside.\xe4\xb8\xad\xe5\x9b\xbd", true},
        {"the same as A-labels", "lakeside.xn--fiqs8s", true},

        {"free mail", "gmail.com", false},
        {"free mail, the package lacks it", "tutanota.com", false},
        {"subdomain", "mail.gmail.com", false},
        {"deep subdomain", "a.b.c.d.gmail.com", false},
        {"upper case", "GMAIL.COM", false},
        {"mixed case, subdomain", "Mail.Gmail.Com", false},
        {"root dot", "gmail.com.", false},
        {"root dot, upper case", "MAIL.GMAIL.COM.", false},
        {"full-width letters", "\xef\xbd\x87mail.com", false},
        {"ideographic full stop",
         "gmail\xe3\x80\x82"
         "com",
         false},
        {"punycode of ASCII", "xn--gmail-.com", false},
        {"listed below a suffix", "yahoo.co.uk", false},
        {"listed as a subdomain only", "privaterelay.appleid.com", false},
        {"throwaway", "mailinator.com", false},
        {"throwaway, subdomain", "me.mailinator.com", false},
        {"throwaway, listed as A-labels", "xn--lndwirt-hwa.com", false},
        {"the same as U-labels", "l\xc3\xa1ndwirt.com", false},
        {"the same in upper case", "L\xc3\x81NDWIRT.COM", false},
        {"below it", "x.l\xc3\xa1ndwirt.com", false},
        {"names given away by a listed provider", "lakeside.ddns.net", false},

        {"top level", "com", false},
        {"top level with a root dot", "com.", false},
        {"public suffix", "co.uk", false},
        {"public suffix, upper case", "CO.UK", false},
        {"private public suffix", "github.io", false},
        {"wildcard suffix", "foo.ck", false},
        {"suffix as U-labels", "\xe5\x85\xac\xe5\x8f\xb8.cn", false},
        {"suffix as A-labels", "xn--55qx5d.cn", false},
        {"single label", "localhost", false},
        {"IPv4", "192.0.2.1", false},
        {"IPv4 with a root dot", "192.0.2.1.", false},
        {"IPv4 literal", "[192.0.2.1]", false},
        {"IPv6 literal", "[IPv6:2001:db8::1]", false},
        {"IPv6", "2001:db8::1", false},
        {"nothing", "", false},
        {"a dot", ".", false},
        {"two root dots", "lakeside.example..", false},
        {"dot first", ".lakeside.example", false},
        {"empty label", "lakeside..example", false},
        {"blank", "lake side.example", false},
        {"line break", "lakeside.example\ngmail.com", false},
        {"broken punycode", "xn--\xc3\xbc.example", false},
    };

    check_rows(&built_in, rows, ARRAY_SIZE(rows));
}

static void test_the_operators_own(void)
{
    static const char *const business[] = {"GMX.de", "m\xc3\xbcller.example", "both.example", NULL};
    static const char *const free_mail[] = {"lakeside.example", "both.example",
                                            "team.rivers.example", NULL};
    static const struct row rows[] = {
        {"listed, but ours", "gmx.de", true},
        {"below it", "mail.gmx.de", true},
        {"its neighbour", "gmx.net", false},
        {"another spelling", "xn--mller-kva.example", true},
        {"free mail here", "lakeside.example", false},
        {"below it", "ward3.LAKESIDE.example", false},
        {"in both", "both.example", false},
        {"free below a business", "team.rivers.example", false},
        {"the business", "rivers.example", true},
    };

    check_rows(&(struct mail_domains_options){.business = business, .free_mail = free_mail}, rows,
               ARRAY_SIZE(rows));
}

static void test_a_list_from_a_file(void)
{
    static const struct row rows[] = {
        {"in the file", "lakeside.example", false},
        {"below it", "a.lakeside.example", false},
        {"last line, no line end", "rivers.example", false},
        {"only in the built-in list", "gmail.com", true},
        {"the other list stays", "mailinator.com", false},
    };
    struct unit_dir dir = unit_dir_make();
    char *path = strdup(
        unit_dir_write(&dir, "free", "\xef\xbb\xbf# ours\n#\nlakeside.example\nrivers.example"));

    check_rows(
        &(struct mail_domains_options){.free_mail_file = path, .business = none, .free_mail = none},
        rows, ARRAY_SIZE(rows));
    free(path);
    unit_dir_remove(&dir);
}

static void test_wrong_lists(void)
{
    static const struct {
        const char *label, *text, *complaint;
    } rows[] = {
        {"empty", "", "list: names no domain"},
        {"comments only", "# gmail.com\n", "list: names no domain"},
        {"a comment without end", "#", "list: names no domain"},
        {"out of order", "b.example\na.example\n", "list:2: not in order"},
        {"twice", "# x\na.example\na.example\n", "list:3: not in order"},
        {"upper case", "A.example\n", "list:1: must be a domain"},
        {"beyond ASCII", "\xc3\xbc.example\n", "list:1: must be a domain"},
        {"carriage return", "a.example\r\n", "list:1: must be a domain"},
        {"no dot", "a.example\nlocalhost\n", "list:2: must be a domain"},
        {"empty line", "a.example\n\nb.example\n", "list:2: must be a domain"},
        {"address", "ana@a.example\n", "list:1: must be a domain"},
        {"comment below", "a.example\n# b\n", "list:2: must be a domain"},
    };
    struct unit_dir dir = unit_dir_make();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        for (int throwaway = 0; throwaway < 2; throwaway++) {
            CLEANUP(arena_destroy) struct arena *arena = arena_new();
            const char *path = unit_dir_write(&dir, "list", rows[i].text);
            const struct mail_domains_options options = {.free_mail_file = throwaway ? NULL : path,
                                                         .throwaway_file = throwaway ? path : NULL,
                                                         .business = none,
                                                         .free_mail = none};
            struct error err;

            error_init(&err, arena);
            CU_ASSERT_PTR_NULL(mail_domains_new(&options, arena, &err));
            UNIT_CHECK(strstr(err.message, rows[i].complaint) != NULL, "%s: %s", rows[i].label,
                       err.message);
        }
    }
    unit_dir_remove(&dir);
}

static void check_refused(const struct mail_domains_options *options, const char *complaint)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct error err;

    error_init(&err, arena);
    CU_ASSERT_PTR_NULL(mail_domains_new(options, arena, &err));
    UNIT_CHECK(strstr(err.message, complaint) != NULL, "%s", err.message);
}

static void test_wrong_options(void)
{
    static const char *const bad[] = {"co.uk", "com", "gmail", "192.0.2.1", "a@gmail.com", "*.de"};

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        const char *const own[] = {"lakeside.example", bad[i], NULL};

        check_refused(&(struct mail_domains_options){.business = own, .free_mail = none}, bad[i]);
        check_refused(&(struct mail_domains_options){.business = none, .free_mail = own}, bad[i]);
    }
    check_refused(&(struct mail_domains_options){.free_mail_file = "/nonexistent/list",
                                                 .business = none,
                                                 .free_mail = none},
                  "/nonexistent/list: No such file");
    check_refused(&(struct mail_domains_options){.throwaway_file = "/dev/null",
                                                 .business = none,
                                                 .free_mail = none},
                  "/dev/null: must be a file");
}

/* The program does not check its built-in lists. Every domain in them must be found. */
static void check_built_in(const char *text, const char *end, size_t at_least)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    const struct mail_domains *domains;
    struct domain_list list;
    size_t count = 0, wrong = 0;
    struct error err;

    error_init(&err, arena);
    domains = mail_domains_new(&built_in, arena, &err);
    UNIT_REQUIRE(domains != NULL, "%s", err.message);
    UNIT_REQUIRE(domain_list_parse("built in", text, (size_t)(end - text), &list, &err) == 0, "%s",
                 err.message);
    for (const char *at = list.text; at < end; at = strchr(at, '\n') + 1) {
        wrong +=
            mail_domains_business(domains, scratch, arena_strndup(scratch, at, strcspn(at, "\n")));
        count++;
        arena_reset(scratch);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    UNIT_CHECK(count >= at_least, "%zu domains", count);
}

static void test_every_domain_of_the_lists_built_in_is_found(void)
{
    check_built_in(domain_free_mail_text, domain_free_mail_end, 10000);
    check_built_in(domain_throwaway_text, domain_throwaway_end, 100000);
}

static const struct unit_case cases[] = {
    CASE(test_domains),
    CASE(test_the_operators_own),
    CASE(test_a_list_from_a_file),
    CASE(test_wrong_lists),
    CASE(test_wrong_options),
    CASE(test_every_domain_of_the_lists_built_in_is_found),
};

int main(void)
{
    return unit_run("mail_domain", cases, ARRAY_SIZE(cases));
}

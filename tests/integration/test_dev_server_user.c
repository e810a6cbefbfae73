/*
 * test_dev_server_user.c - the user of PostgreSQL when root starts it: initdb needs a non-zero uid
 * with a name.
 */
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dev/server_user.h"
#include "tests/support/unit.h"

enum { REFUSED = 2 };

/* Becomes this user in a child. Returns 0 if the child is not root, its uid has a name, and it owns
 * the directory. */
static int become(const struct server_user *user, const char *dir)
{
    pid_t pid = fork();
    struct stat status;
    int result = -1;

    if (pid == 0) {
        if (server_user_become(user) < 0)
            _exit(REFUSED);
        _exit(geteuid() == 0 || !getpwuid(geteuid()) || stat(dir, &status) < 0 ||
              status.st_uid != geteuid());
    }
    CU_ASSERT_EQUAL(waitpid(pid, &result, 0), pid);
    return WEXITSTATUS(result);
}

static void test_user_has_a_name(void)
{
    CU_ASSERT_NOT_EQUAL(server_user_uid(), 0);
    CU_ASSERT_PTR_NOT_NULL(getpwuid(server_user_uid()));
}

static void test_new_directory_belongs_to_its_user(void)
{
    struct unit_dir dir = unit_dir_make();
    struct server_user user = server_user_of_new(dir.path), again = server_user_of(dir.path);

    CU_ASSERT_EQUAL(user.uid == 0, geteuid() != 0);
    CU_ASSERT_TRUE(user.uid == again.uid && user.mapped == again.mapped);
    CU_ASSERT_EQUAL(become(&user, dir.path), 0);
    unit_dir_remove(&dir);
}

static void test_mapped_user_owns_what_is_roots(void)
{
    const struct server_user user = {.uid = server_user_uid(), .mapped = true};
    struct unit_dir dir = unit_dir_make();
    int rc = become(&user, dir.path);

    CU_ASSERT_TRUE(rc == 0 || rc == REFUSED); /* not every kernel permits namespaces */
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE(test_user_has_a_name),
    CASE(test_new_directory_belongs_to_its_user),
    CASE(test_mapped_user_owns_what_is_roots),
};

int main(void)
{
    return unit_run("server user", cases, ARRAY_SIZE(cases));
}

#!/usr/bin/env python3
"""Breaks each rule of lint.py once, in a tree of its own, and looks whether it is found; and what style.py makes of C."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import lint  # noqa: E402
import style  # noqa: E402

GLOSSARY = '''# Glossary

## Not in comments

| Use | Not |
|---|---|
| no client | "nobody" |
| generated here | "of ours" |

## Not in identifiers

| Use | Not |
|---|---|
| file_cache | `kept_*` |

## Terms

| Term | Meaning | Not |
|---|---|---|
| email | a message | "mails", "a mail" (but "a mail server") |

## Not in any text

| Use | Not |
|---|---|
| is, is stored | "stands" (but "stands for", "as it stands") |
| expired | "is over" (but "is over a") |

## At the beginning of a text or comment

| Use | Not |
|---|---|
| a noun or a verb | "Of" (but "of course"), "Who" |

## At the beginning of a comment

| Use | Not |
|---|---|
| a noun or a verb | "With" |
'''

lint.LANGUAGE_DONE = ('README.md', 'docs/*.md', 'CHANGELOG.md', '*/*.8', 'authd/done.c', 'page/en.txt', 'console/*.js')
lint.STRINGS_DONE = ('authd/mails.c',)

GOOD = {
    'README.md': '# A tree\n',
    'CHANGELOG.md': '## [Unreleased]\n',
    'authd/authd.8': '.TH AUTHD 8\n',
    'authd/done.c': '/* Does nothing. */\n',
    'authd/mails.c': '/* The row stands here. */\n',
    'page/en.txt': 'a.b = Check your inbox\n',
    'console/a.js': "t('Saved.');\n",
    'docs/glossary.md': GLOSSARY,
    'common/base/arena.h': '#ifndef ATRIUM_COMMON_BASE_ARENA_H\n#define ATRIUM_COMMON_BASE_ARENA_H\n#endif\n',
    'common/base/arena.c': '#include "common/base/arena.h"\n\n#include <string.h>\n',
    'common/bus/bus.h': '#ifndef ATRIUM_COMMON_BUS_BUS_H\n#define ATRIUM_COMMON_BUS_BUS_H\n'
                        '#include "common/base/arena.h"\n#endif\n',
    'common/bus/bus_private.h': '#ifndef ATRIUM_COMMON_BUS_BUS_PRIVATE_H\n#define ATRIUM_COMMON_BUS_BUS_PRIVATE_H\n'
                                '#include "common/bus/bus.h"\n#endif\n',
    'authd/authd_api.h': '#ifndef ATRIUM_AUTHD_AUTHD_API_H\n#define ATRIUM_AUTHD_AUTHD_API_H\n#endif\n',
    'authd/session/session_api.h': '#ifndef ATRIUM_AUTHD_SESSION_SESSION_API_H\n'
                                   '#define ATRIUM_AUTHD_SESSION_SESSION_API_H\n#endif\n',
    'authd/authd_routes.def': '/* authd_routes.def - what authd answers. */\n',
    'authd/session/refresh.c': '#include "authd/authd_api.h"\n#include "common/bus/bus.h"\n',
    'docd/docd_api.h': '#ifndef ATRIUM_DOCD_DOCD_API_H\n#define ATRIUM_DOCD_DOCD_API_H\n#endif\n',
    'docd/docd.c': '#include "authd/authd_api.h"\n#include "authd/session/session_api.h"\n',
    'gateway/routes.c': '#include "authd/authd_routes.def"\n',
}

# (what, file, its text, the rule, a piece of the message). Without a rule: it is allowed.
CASES = [
    ('a lower floor includes a higher one', 'common/base/log.c', '#include "common/bus/bus.h"\n', 'floors',
     'common/base stands below common/bus'),
    ('neighbours that the table does not name', 'common/wire/codec.c', '#include "common/runtime/loop.h"\n', 'floors',
     'common/wire stands below common/runtime'),
    ('a file on no floor', 'common/stray.h', '#ifndef ATRIUM_COMMON_STRAY_H\n#define ATRIUM_COMMON_STRAY_H\n#endif\n',
     'floors', 'lies on no floor'),
    ('a lower folder of authd includes a higher one', 'authd/session/refresh.c', '#include "authd/signin/login.h"\n',
     'floors', 'authd/session stands below authd/signin'),
    ('a higher folder of authd includes a lower one', 'authd/signin/login.c', '#include "authd/session/session.h"\n',
     None, ''),
    ('a higher folder that was included is not', 'authd/page/visit.c', '#include "authd/session/session.h"\n',
     'floors', 'no longer includes oauth/auth_request.h'),
    ('a lower folder of authd includes shapes', 'authd/session/refresh.c', '#include "authd/signin/sign_in_api.h"\n',
     None, ''),
    ('common includes a daemon', 'common/bus/method.c', '#include "authd/authd_api.h"\n', 'floors',
     'common/ knows no daemon'),
    ('a daemon includes another\'s own header', 'docd/wipe.c', '#include "authd/session/session.h"\n', 'floors',
     'of another daemon only _api.h'),
    ('a daemon includes another\'s rows', 'docd/rows.c', '#include "authd/authd_routes.def"\n', 'floors',
     'of another daemon only _api.h'),
    ('the gateway includes rows', 'gateway/openapi.c', '#include "authd/authd_docs.def"\n', None, ''),
    ('an _api.h includes another', 'docd/docd_api.h', '#ifndef ATRIUM_DOCD_DOCD_API_H\n'
     '#define ATRIUM_DOCD_DOCD_API_H\n#include "authd/authd_api.h"\n#endif\n', 'floors', 'no _api.h includes another'),
    ('an _api.h includes one of its daemon', 'authd/authd_api.h', '#ifndef ATRIUM_AUTHD_AUTHD_API_H\n'
     '#define ATRIUM_AUTHD_AUTHD_API_H\n#include "authd/session/session_api.h"\n#endif\n', 'floors',
     'no _api.h includes another'),
    ('a private header elsewhere', 'authd/session/me.c', '#include "common/bus/bus_private.h"\n', 'floors',
     'private to its folder'),
    ('a program includes a test', 'authd/me.c', '#include "tests/support/unit.h"\n', 'floors', 'nothing of tests/'),
    ('a test includes anything', 'tests/integration/test_bus.c', '#include "common/bus/bus_private.h"\n', None, ''),
    ('headers include each other', 'common/base/arena.h', '#ifndef ATRIUM_COMMON_BASE_ARENA_H\n'
     '#define ATRIUM_COMMON_BASE_ARENA_H\n#include "common/base/log.h"\n#endif\n', 'modules', 'include each other'),
    ('a word in a comment', 'authd/a.c', '/* Nobody reads it. */\n', 'words', '"Nobody" in a comment'),
    ('two words across a line', 'authd/a.c', '/* An identifier of\n * ours. */\n', 'words', '"of ours" in a comment'),
    ('a word in a string', 'authd/a.c', 'const char *text = "nobody";\n', None, ''),
    ('a word in rows', 'authd/authd_routes.def', '/* nobody */\n', 'words', '"nobody" in a comment'),
    ('a longer word', 'authd/a.c', '/* The user nobody-else. */\n', None, ''),
    ('a name', 'authd/a.c', 'int kept_files;\n', 'words', 'the name kept_files'),
    ('a name in a string', 'authd/a.c', 'const char *text = "kept_files";\n', None, ''),
    ('a calque', 'README.md', '# A\n\nThe row\nstands here.\n', 'language', 'README.md:4: language: "stands": write is, is stored'),
    ('a calque over a line', 'README.md', '# A\n\nThe link is\nover.\n', 'language', 'README.md:3: language: "is over"'),
    ('an idiom with the word of a calque', 'README.md', '# A\n\nThe code runs as it stands.\n', None, ''),
    ('a second name for a term', 'README.md', 'Two Mails go out.\n', 'language', '"Mails": write email'),
    ('a term that contains it', 'README.md', 'Run a mail server.\n', None, ''),
    ('a longer word than the second name', 'README.md', 'Webmails.\n', None, ''),
    ('a calque in code', 'README.md', 'Run:\n\n    stands\n\n```sh\nstands\n```\n\nand `stands`, "stands", [x](stands.md).\n', None, ''),
    ('a calque in a list', 'README.md', '- One:\n\n    It stands here.\n', 'language', 'README.md:3: language'),
    ('a paragraph without a subject', 'README.md', '# A\n\nOf the row, all.\n', 'language', '"Of" at the beginning: write a noun'),
    ('an item without a subject', 'README.md', '- one\n- of the row, all\n', 'language', 'README.md:2: language: "of" at'),
    ('a cell without a subject', 'README.md', '| a | b |\n|---|---|\n| x | Who reads. |\n', 'language', '"Who" at the beginning'),
    ('a question', 'README.md', '## Who reads this?\n', None, ''),
    ('the word within a sentence', 'README.md', 'Most of the rows\nof this table.\n', None, ''),
    ('a paragraph that begins like a bad comment', 'README.md', 'With `a`, b.\n', None, ''),
    ('the newest section of the changelog', 'CHANGELOG.md', '## [Unreleased]\n\nIt stands.\n\n## [0.1]\n\nIt stands.\n',
     'language', 'CHANGELOG.md:3: language'),
    ('an older section of the changelog', 'CHANGELOG.md', '## [Unreleased]\n\n## [0.1]\n\nIt stands.\n', None, ''),
    ('a calque in a finished comment', 'authd/done.c', '/* The row\n * stands here. */\n', 'language', 'authd/done.c:2: language'),
    ('a finished comment without a subject', 'authd/done.c', '/* done.c - with a row. */\n', 'language', '"with" at the beginning'),
    ('a string of a finished file', 'authd/done.c', 'const char *text = "stands";\n', None, ''),
    ('a calque in a text of pages', 'page/en.txt', 'a.b = Sent.\na.c = The row stands.\n', 'language',
     'page/en.txt:2: language: "stands"'),
    ('a key of pages', 'page/en.txt', 'stands.who = Sent.\n', None, ''),
    ('a text of pages without a subject', 'page/en.txt', 'a.b = Sent.\na.c = Who reads.\n', 'language',
     'page/en.txt:2: language: "Who" at the beginning'),
    ('a question of pages', 'page/en.txt', 'a.b = Who reads?\n', None, ''),
    ('a calque of the console', 'console/a.js', "f();\nconst x = { a: N('It\\'s a row that stands.') };\n", 'language',
     'console/a.js:2: language: "stands"'),
    ('a calque in a count of the console', 'console/a.js', "plural(n, '{n} row stands', '{n} rows stood');\n", 'language', '"stands"'),
    ('a text of the console without a subject', 'console/a.js', "t('Of the row');\n", 'language', '"Of" at the beginning'),
    ('what the console does not say', 'console/a.js', "// stands\nget('stands'); t('Row'); const stands = 'Of';\n", None, ''),
    ('a calque in a mail over a line', 'authd/mails.c', 'const char *s = "The link is "\n    "over.";\n', 'language',
     'authd/mails.c:1: language: "is over"'),
    ('two strings in a row', 'authd/mails.c', 'const char *s[] = {"The link is",\n    "over"};\n', None, ''),
    ('a paragraph of a mail without a subject', 'authd/mails.c', 'const char *s = "Hello,\\n\\nOf your account.";\n', 'language',
     '"Of" at the beginning'),
    ('a comment in a file of mails', 'authd/mails.c', '/* It stands. */\n', None, ''),
    ('a calque in a file that is not finished', 'authd/a.c', '/* The row stands here. */\n', None, ''),
    ('a calque in a man page', 'authd/authd.8', '.TH A 8\n.SH B\nThe row\nstands here.\n', 'language',
     'authd/authd.8:4: language: "stands"'),
    ('a calque around a name in a man page', 'authd/authd.8', '.TH A 8\nThe link\n.B x\nis\\-a; it is\nover.\n', 'language',
     'authd/authd.8:4: language: "is over"'),
    ('a name and code in a man page', 'authd/authd.8', '.TH A 8\n.B stands\n.BR stands ,\n.nf\nstands\n.fi\nall.\n', None, ''),
    ('an entry of a man page without a subject', 'authd/authd.8', '.TH A 8\n.TP\n.B key\nOf the row, all.\n', 'language',
     'authd/authd.8:4: language: "Of" at'),
    ('the middle of a sentence in a man page', 'authd/authd.8', '.TH A 8\n.TP\n.B key\nAll\n.B rows\nof it.\n', None, ''),
    ('sizeof without parentheses', 'authd/a.c', 'int n = sizeof *p;\n', 'style', 'sizeof(*p)'),
    ('a comparison with NULL', 'authd/a.c', 'int n = p == NULL;\n', 'style', '!p'),
    ('the own header is not first', 'common/base/arena.c', '#include <string.h>\n\n#include "common/base/arena.h"\n',
     'style', 'common/base/arena.h'),
    ('a guard of another name', 'authd/a.h', '#ifndef ATRIUM_A_H\n#define ATRIUM_A_H\n#endif\n', 'style',
     'ATRIUM_AUTHD_A_H'),
    ('a long line', 'authd/a.c', 'int n = %s;\n' % ' + '.join(['1000'] * 15), 'column', 'columns'),
    ('a long line of rows', 'authd/authd_routes.def', 'OP(%s)\n' % ', '.join(['name'] * 20), 'column', 'columns'),
    ('a word that SQL has too', 'authd/a.c', 'const char *s = "select";\n', None, ''),
    ('a statement of the layer that runs them', 'common/pg/a.c', 'const char *s = "select 1";\n', None, ''),
    ('a route on one line', 'authd/authd_routes.def', 'ROUTE(GET, "/x", x, nothing, x_out, ACCESS_USER, R_SAFE, "0.1", "X")\n',
     'style', 'ROUTE(GET, "/x", x,'),
    ('100 columns', 'authd/a.c', 'int %s;\n' % ('n' * 95), None, ''),
    ('a statement in C', 'authd/a.c', 'const char *s = "select id from session";\n', 'sql', 'SQL in C'),
    ('a column by its number', 'authd/a.c', 'int n = db_int(res, 0, 8);\n', 'sql', 'by its number'),
    ('a sentence that begins like a statement', 'authd/a.c', 'const char *s = "updated";\n', None, ''),
]

# (C, what the style makes of it)
STYLES = [
    ('int n = sizeof *a->b + sizeof c[i].d;', 'int n = sizeof(*a->b) + sizeof(c[i].d);'),
    ('int n = sizeof "text";', 'int n = sizeof("text");'),
    ('int n = sizeof(struct x);', None),
    ('if (p == NULL)', 'if (!p)'),
    ('if ((p = find(a, "==")) == NULL)', 'if (!(p = find(a, "==")))'),
    ('if (strchr(a, b[c == NULL]) != NULL)', 'if (strchr(a, b[!c]))'),
    ('return p != NULL;', None),
    ('bool b = p != NULL && q->r == NULL;', 'bool b = p && !q->r;'),
    ('x = (char *)p == NULL;', None),
    ('while (*p != NULL)', 'while (*p)'),
    ('for (p = a; p != NULL; p = p->next)', 'for (p = a; p; p = p->next)'),
    ('#if NULL == 0', None),
    ('/* p == NULL */', None),
    ('"p == NULL"', None),
    ('static int f(void *arg)\n{\n    (void)arg;\n    return 0;\n}\n', 'static int f(void *arg UNUSED)\n{\n    return 0;\n}\n'),
    ('/* %s */' % ' '.join(['word'] * 25),
     '/* %s\n * %s */' % (' '.join(['word'] * 19), ' '.join(['word'] * 6))),
    ('    int n; /* %s */' % ' '.join(['word'] * 19), '    /* %s\n     * word */\n    int n;' % ' '.join(['word'] * 18)),
    ('/*\n * %s\n *\n *   row   what it is\n */' % ' '.join(['word'] * 21),
     '/*\n * %s\n * word word\n *\n *   row   what it is\n */' % ' '.join(['word'] * 19)),
]

# (rows of a .def file, what the style makes of them)
ROWS = [
    ('ROUTE(GET,    "/x/{id}",  x_get,   x_in, x_out, ACCESS_USER,  R_SAFE | R_WITHIN(32),\n      "0.1", "Read, with \\"x\\"")',
     'ROUTE(GET, "/x/{id}", x_get,\n      x_in, x_out, ACCESS_USER, R_SAFE | R_WITHIN(32),\n      "0.1", "Read, with \\"x\\"")'),
    ('ALIAS(GET, "/y", x_get,\n      x_in, x_out, ACCESS_USER, 0,\n      "0.1", "Y")', None),
    ('DOC(x, "X",\n    "%s "\n    "word.\\n\\n"\n    "next")' % ' '.join(['word'] * 20),
     'DOC(x, "X",\n    "%s "\n    "word word word.\\n\\n"\n    "next")' % ' '.join(['word'] * 18)),
    ('DOC(x, "X",\n    "short "\n    "lines",\n    ERR_X)', None),
    ('DOC(x, "X", "%s")' % ' '.join(['word'] * 18), 'DOC(x, "X",\n    "%s")' % ' '.join(['word'] * 18)),
]

failed = []


def check(label, true, detail=''):
    if not true:
        failed.append(label)
        print('FAILED: %s\n%s' % (label, detail))


def write(root, files):
    for path, text in files.items():
        whole = os.path.join(root, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, 'w') as f:
            f.write(text)


def look(root, objects=None, compiler=None):
    wrong, _ = lint.run(root, objects, compiler, os.path.join(root, 'lint/headers.json'))
    return len(wrong), '\n'.join(wrong)


def git(root, *words):
    subprocess.run(['git', '-C', root, '-c', 'user.name=t', '-c', 'user.email=t@localhost'] + list(words), check=True,
                   stdout=subprocess.DEVNULL)


def in_tree(label, run):
    root = tempfile.mkdtemp(prefix='atrium-lint.')
    try:
        write(root, GOOD)
        run(label, root)
    finally:
        shutil.rmtree(root)


def rule_case(path, text, rule, message):
    def run(label, root):
        write(root, {path: text})
        if 'log.h' in text and path == 'common/base/arena.h':
            write(root, {'common/base/log.h': GOOD['common/base/arena.h'].replace('ARENA', 'LOG').replace(
                '#endif', '#include "common/base/arena.h"\n#endif')})
        code, out = look(root)
        if rule is None:
            check(label, code == 0, out)
        else:
            check(label, code != 0 and ': %s: ' % rule in out and message in out, out)
    return run


def good_tree(label, root):
    code, out = look(root)
    check(label, code == 0, out)


def circular_calls(label, root):
    write(root, {
        'common/base/arena.c': '#include "common/base/arena.h"\n\nvoid two(void);\nvoid one(void);\n'
                               'void one(void)\n{\n    two();\n}\n',
        'common/base/log.c': 'void one(void);\nvoid two(void);\nvoid two(void)\n{\n    one();\n}\n',
        'common/bus/up.c': 'void up(void);\nvoid up(void)\n{\n}\n',
        'common/base/down.c': 'void up(void);\nvoid down(void);\nvoid down(void)\n{\n    up();\n}\n',
    })
    objects = os.path.join(root, 'build')
    for folder, _, names in list(os.walk(root)):
        for name in names:
            if name.endswith('.c'):
                source = os.path.join(folder, name)
                out = os.path.join(objects, os.path.relpath(source, root))[:-2] + '.o'
                os.makedirs(os.path.dirname(out), exist_ok=True)
                text = '' if 'common' not in source else source
                subprocess.run(['cc', '-I' + root, '-c', text or '/dev/null', '-o', out] if text else
                               ['cc', '-x', 'c', '-c', '/dev/null', '-o', out], check=True)
    code, out = look(root, objects)
    check(label, code != 0 and 'common/base/arena.c:1: modules: calls in a circle: two() of common/base/log' in out, out)
    check(label + ', up a floor', 'common/base/down.c:1: floors: uses up of the floor above' in out, out)


def versions_agree(label, root):
    """Each place that names the version is changed once, and a tag without a section is found."""
    good = {
        'Makefile': 'VERSION := 0.2.0\n',
        'CHANGELOG.md': '## [Unreleased]\n\n## [0.2.0] - 2026-11-22\n\n## [0.1.0] - 2026-11-21\n',
        'debian/changelog': ''.join(
            'x (%s) bookworm; urgency=medium\n\n  * x\n\n -- X Y <x@y.example>  %s 00:00:00 +0000\n\n' % row for row in
            (('0.2.0', 'Sun, 22 Nov 2026'), ('0.1.0', 'Sat, 21 Nov 2026'))),
    }
    rows = [
        ('good', None, '', '', None),
        ('another VERSION', 'Makefile', '0.2.0', '0.3.0', 'its newest version is not VERSION'),
        ('no section', 'CHANGELOG.md', '## [0.1.0] - 2026-11-21\n', '', '0.1.0 is of None'),
        ('another day', 'debian/changelog', '22 Nov', '23 Nov', '0.2.0 is of 2026-11-22'),
    ]
    git(root, 'init', '-q')
    for what, path, old, new, message in rows:
        write(root, good)
        if path:
            write(root, {path: good[path].replace(old, new)})
        code, out = look(root)
        check('%s: %s' % (label, what), message in out and code != 0 if message else code == 0, out)
    write(root, good)
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'all')
    git(root, 'tag', 'v0.1.0')
    check(label + ': a tag with a section', look(root)[0] == 0)
    git(root, 'tag', 'v0.4.0')
    check(label + ': a tag without', 'has no section for the tag v0.4.0' in look(root)[1])


def headers_alone(label, root):
    """A header that needs another one fails, also when what it includes changed since it compiled."""
    def header(path, text):
        name = 'ATRIUM_' + path[:-2].upper().replace('/', '_') + '_H'
        write(root, {path: '#ifndef %s\n#define %s\n%s#endif\n' % (name, name, text)})

    header('authd/number.h', '#include <stdint.h>\n')
    header('authd/use.h', '#include "authd/number.h"\nint64_t use(void);\n')
    code, out = look(root, compiler='cc -I.')
    check(label + ': good', ': headers: ' not in out, out)
    header('authd/number.h', '')
    code, out = look(root, compiler='cc -I.')
    check(label + ': what it includes changed', 'authd/use.h:1: headers: does not compile alone' in out, out)
    header('authd/use.h', '#include <stdint.h>\nint64_t use(void);\n')
    code, out = look(root, compiler='cc -I.')
    check(label + ': mended', ': headers: ' not in out, out)


def finished_file_is_gone(label, root):
    os.remove(os.path.join(root, 'authd/done.c'))
    code, out = look(root)
    check(label, 'authd/done.c:1: language: is in LANGUAGE_DONE' in out, out)


def help_of_make(label, root):
    """help.awk prints first sentences by name, and finds the target without a comment."""
    write(root, {'Makefile': '.PHONY: run all \\\n    objects $(FOLDERS)\nall := 1\n# A list.\nALL := 2\n\n'
                             '# Builds the\n# programs (CC=clang). The rest.\nall: x\n\n# Starts a.b. More.\nrun:\n\tx\n',
                 'more.mk': '# Compiles, only.\nobjects: all\n'})
    awk = ['awk', '-f', os.path.join(HERE, 'help.awk'), 'Makefile']
    done = subprocess.run(awk + ['more.mk'], cwd=root, stdout=subprocess.PIPE, text=True)
    check(label, done.returncode == 0 and [line.split(None, 2) for line in done.stdout.splitlines()] == [
        ['make', 'all', 'Builds the programs (CC=clang).'], ['make', 'objects', 'Compiles, only.'],
        ['make', 'run', 'Starts a.b.']], done.stdout)
    done = subprocess.run(awk, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(label + ': no comment', done.returncode == 1 and done.stderr == 'make help: no comment above objects\n', done.stderr)


def main():
    in_tree('a tree without fault', good_tree)
    for label, path, text, rule, message in CASES:
        in_tree(label, rule_case(path, text, rule, message))
    in_tree('calls in a circle', circular_calls)
    in_tree('headers', headers_alone)
    in_tree('versions', versions_agree)
    in_tree('help', help_of_make)
    in_tree('a finished file that is gone', finished_file_is_gone)
    for text, want in ROWS:
        got = style.style(text, 'authd/authd_docs.def')
        check(text, got == (want or text), got)
    for text, want in STYLES:
        got = style.style(text, 'authd/a.c')
        check(text, got == (want or text), got)
    if failed:
        sys.exit('test_lint: %d FAILED' % len(failed))
    print('test_lint: %d cases' % (len(CASES) + len(STYLES) + len(ROWS) + 7))


main()

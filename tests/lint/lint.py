#!/usr/bin/env python3
"""Checks the rules of the source tree that no compiler checks: `make lint`.

usage: lint.py [--tree DIR] [--objects DIR] [--headers COMPILER]

  floors    which folder may include which
  modules   no circular includes; no circular calls between modules (--objects: a build, read by nm)
  words     docs/glossary.md: words that comments and identifiers avoid
  language  docs/glossary.md: words that texts and comments avoid, in the files of LANGUAGE_DONE and in the strings of
            STRINGS_DONE
  style     tests/lint/style.py: sizeof(x), !p, UNUSED, order of includes, guards
  column    at most 100 columns
  headers   each header compiles alone (--headers: the compiler with its flags)
  versions  Makefile, CHANGELOG.md, debian/changelog and tags agree
  sql       no SQL in C, no column by its number
"""
import argparse
import collections
import concurrent.futures
import datetime
import fnmatch
import glob
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import style  # noqa: E402

DAEMONS = ('gateway', 'authd', 'settingsd', 'maild', 'docd', 'botd')
PROGRAMS = DAEMONS + ('ctl', 'dev')
TOPS = PROGRAMS + ('common', 'tests')

# The floors of common/, lowest first, with the floors that each may include besides itself.
FLOORS = {
    'base': (),
    'runtime': ('base',),
    'wire': ('base',),
    'domain': ('base', 'wire'),
    'bus': ('base', 'runtime', 'wire', 'domain'),
    'pg': ('base', 'runtime', 'wire', 'domain'),
    'service': ('base', 'runtime', 'wire', 'domain', 'bus', 'pg'),
}

# The folders of authd, lowest first: each includes only those before it, and shapes (_api.h) of any.
AUTHD_FLOORS = ('credential', 'session', 'trail', 'account', 'passkey', 'signin', 'member', 'federation', 'import', 'page', 'oauth')
# What does not yet: authd/FILE and what it includes. Add nothing here.
AUTHD_ABOVE = {
    ('page/visit.c', 'oauth/auth_request.h'),
}

# The files whose texts and comments are written by docs/glossary.md. Add a file once it is clean.
LANGUAGE_DONE = (
    '*/*.8',
    '*/*_docs.def',
    '*/*_routes.def',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'README.md',
    'SECURITY.md',
    'authd/**/*.[ch]',
    'authd/page/TEMPLATES.md',
    'authd/page/template/text/en.txt',
    'botd/**/*.[ch]',
    'common/**/*.[ch]',
    'common/service/atrium.conf.5',
    'ctl/**/*.[ch]',
    'ctl/atriumctl.1',
    'dev/**/*.[ch]',
    'docd/**/*.[ch]',
    'docs/*.md',
    'docs/adr/*.md',
    'gateway/**/*.[ch]',
    'gateway/endpoint/openapi_text.c',
    'maild/**/*.[ch]',
    'settingsd/**/*.[ch]',
    'tests/*/*.[ch]',
    'web/console/*.js',
    'web/console/README.md',
    'web/console/lib/*.js',
    'web/console/screens/*.js',
)

# The files whose strings are emails.
STRINGS_DONE = (
    'dev/demo.c',
    'maild/builtin.c',
)

ADVICE = {
    'floors': 'move the shared part down, or hand the upper part in as a callback',
    'modules': 'replace one of the calls by a callback, or move what both need into a third file',
    'words': 'docs/glossary.md names the term to use',
    'language': 'docs/glossary.md has the words; rewrite the sentence, name its subject',
    'style': 'run `make format`',
    'column': 'at most 100 columns; `make format` wraps comments',
    'versions': 'CONTRIBUTING.md, "A release"',
    'headers': 'include or declare what the header uses',
    'sql': 'write the statement in the daemon\'s table of statements; name columns, do not count them',
}

Violation = collections.namedtuple('Violation', 'rule path line text')


def read(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        return f.read()


class Tree:
    """The sources below a directory, each read once."""

    def __init__(self, root):
        self.root = root
        self.text = {}
        for top in TOPS:
            for folder, _, names in os.walk(os.path.join(root, top)):
                for name in names:
                    if name.endswith(('.c', '.h', '.def')):
                        path = os.path.relpath(os.path.join(folder, name), root)
                        self.text[path] = read(os.path.join(folder, name))
        self.includes = {
            path: [(text.count('\n', 0, m.start()) + 1, m.group(1))
                   for m in re.finditer(r'^#\s*include "([^"]+)"', text, re.M)]
            for path, text in self.text.items()}

    def sources(self):
        return [(path, text) for path, text in sorted(self.text.items()) if path.endswith(('.c', '.h'))]


# ---- floors ----

def refused(path, included):
    """Why this file may not include that one, or None."""
    here, there = path.split('/'), included.split('/')
    if here[0] == 'tests':
        return None
    if there[0] == 'tests':
        return 'a program includes nothing of tests/'
    if os.path.basename(included).endswith('_private.h') and here[:-1] != there[:-1]:
        return '%s is private to its folder' % included
    if here[0] == 'common':
        if there[0] != 'common':
            return 'common/ knows no daemon'
        if len(here) > 2 and len(there) > 2 and there[1] != here[1] and there[1] not in FLOORS.get(here[1], ()):
            return 'common/%s stands below common/%s' % (here[1], there[1])
        return None
    if here[-1].endswith('_api.h') and there[-1].endswith('_api.h'):
        return 'no _api.h includes another: what both need belongs in common/domain'
    if here[0] == there[0] == 'authd' and here[1] in AUTHD_FLOORS and there[1] in AUTHD_FLOORS and \
            AUTHD_FLOORS.index(here[1]) < AUTHD_FLOORS.index(there[1]) and not there[-1].endswith('_api.h') and \
            ('/'.join(here[1:]), '/'.join(there[1:])) not in AUTHD_ABOVE:
        return 'authd/%s stands below authd/%s' % (here[1], there[1])
    if there[0] == 'common' or there[0] == here[0]:
        return None
    if there[0] not in PROGRAMS:
        return 'there is no folder %s/' % there[0]
    if there[-1].endswith('_api.h'):
        return None
    if here[0] == 'dev' and there[0] == 'ctl':
        return None
    if here[0] == 'gateway' and there[-1] in (there[0] + '_routes.def', there[0] + '_docs.def'):
        return None
    return 'of another daemon only _api.h may be included'


def floors(tree):
    for path in sorted(tree.text):
        parts = path.split('/')
        if parts[0] == 'common' and (len(parts) < 3 or parts[1] not in FLOORS):
            yield Violation('floors', path, 1, 'lies on no floor of common/: ' + ', '.join(FLOORS))
        for line, included in tree.includes[path]:
            why = refused(path, included)
            if why:
                yield Violation('floors', path, line, 'includes %s: %s' % (included, why))
    for path, included in sorted(AUTHD_ABOVE):
        if 'authd/' + path in tree.text and not any(i == 'authd/' + included for _, i in tree.includes['authd/' + path]):
            yield Violation('floors', 'authd/' + path, 1, 'no longer includes %s: take it from AUTHD_ABOVE' % included)


# ---- modules ----

def components(edges):
    """Strongly connected components of more than one node (Tarjan), each sorted."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(edges.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def circular_includes(tree):
    edges = {path: [i for _, i in lines if i.endswith('.h')] for path, lines in tree.includes.items()
             if path.endswith('.h')}
    for circle in components(edges):
        for path in circle:
            yield Violation('modules', path, 1, 'headers include each other: ' + ', '.join(circle))


def module(tree, source):
    """The files that share one _private.h are one module; any other .c is one by itself."""
    for _, included in tree.includes[source]:
        if included.endswith('_private.h') and os.path.dirname(included) == os.path.dirname(source):
            return included[:-len('_private.h')]
    return source[:-len('.c')]


def symbols(objects, tree):
    """(defined, used): symbol -> source, source -> symbols."""
    sources = [p for p in sorted(tree.text) if p.endswith('.c') and not p.startswith('tests/')]
    built = [os.path.join(objects, s[:-2] + '.o') for s in sources]
    missing = [b for b in built if not os.path.exists(b)]
    if missing:
        sys.exit('lint: %s is not built; make all first' % missing[0])
    defined, used, source = {}, collections.defaultdict(set), None
    out = subprocess.run(['nm', '-g', '-A'] + built, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        name, _, rest = line.partition(':')
        source = os.path.relpath(name, objects)[:-2] + '.c'
        words = rest.split()
        if words[-2] == 'U':
            used[source].add(words[-1])
        else:
            defined.setdefault(source.split('/')[0], {})[words[-1]] = source
    return defined, used


def circular_calls(tree, objects):
    defined, used = symbols(objects, tree)
    edges, why = collections.defaultdict(set), {}
    for source, names in used.items():
        for name in sorted(names):
            target = defined.get(source.split('/')[0], {}).get(name)
            here, there = source.split('/'), (target or '').split('/')
            if target and here[0] == 'common' and here[1] != there[1] and there[1] not in FLOORS.get(here[1], ()):
                yield Violation('floors', source, 1, 'uses %s of the floor above, %s' % (name, target))
            if target and module(tree, source) != module(tree, target):
                edges[module(tree, source)].add(module(tree, target))
                why.setdefault((module(tree, source), module(tree, target)), name)
    for circle in components(edges):
        for one in circle:
            calls = ['%s() of %s' % (why[one, two], two) for two in circle if (one, two) in why]
            path = one + '.c' if one + '.c' in tree.text else one + '_private.h'
            yield Violation('modules', path, 1, 'calls in a circle: ' + ', '.join(calls))


# ---- words ----

def glossary(path):
    """The patterns of docs/glossary.md: ([words of comments], {pattern of identifiers: term})."""
    comments, identifiers = [], {}
    table = None
    for line in read(path).splitlines():
        if line.startswith('## '):
            table = line[3:].strip()
        cells = [c.strip() for c in line.strip('|').split('|')] if line.startswith('| ') else []
        if len(cells) != 2 or set(cells[0]) <= {'-', ' '} or cells[0] == 'Use':
            continue
        old = re.findall(r'`([^`]+)`', cells[1])
        if table == 'Not in comments':
            comments += re.findall(r'"([^"]+)"', cells[1])
        elif table == 'Not in identifiers':
            for pattern in old:
                identifiers[pattern] = cells[0]
    return comments, identifiers


def matcher(patterns):
    return re.compile(r'\b(?:%s)\b' % '|'.join(fnmatch.translate(p)[4:-3].replace('.*', r'\w*') for p in patterns))


def words(tree):
    path = os.path.join(tree.root, 'docs/glossary.md')
    if not os.path.exists(path):
        return
    avoided, identifiers = glossary(path)
    comment = re.compile(r'(?i)(?<![\w-])(?:%s)(?![\w-])' % '|'.join(w.replace(' ', r'\s+(?:\*\s+)?') for w in avoided))
    name = matcher(identifiers)
    tokens = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    for path, text in sorted(tree.text.items()):
        if path.endswith('.def') and not comment.search(text):
            continue
        for match in comment.finditer(text):
            # In a string a word may be a contract: only comments count.
            start = text.rfind('/*', 0, match.start())
            if start >= 0 and text.find('*/', start) > match.start() and not in_string(text, start):
                yield Violation('words', path, text.count('\n', 0, match.start()) + 1,
                                '"%s" in a comment' % ' '.join(match.group(0).replace('*', ' ').split()))
        if not path.endswith(('.c', '.h')) or not name.search(text):
            continue
        code = tokens.sub(lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text)
        for match in name.finditer(code):
            if code[code.rfind('\n', 0, match.start()) + 1:].startswith('#include'):
                continue
            yield Violation('words', path, code.count('\n', 0, match.start()) + 1, 'the name %s' % match.group(0))


# ---- language ----

def phrases(cell):
    """The quoted phrases of a cell, and those of its "(but ...)", which are allowed."""
    allowed = ' '.join(re.findall(r'\(but [^)]*\)', cell))
    return re.findall(r'"([^"]+)"', re.sub(r'\(but [^)]*\)', '', cell)), re.findall(r'"([^"]+)"', allowed)


def pattern(phrase):
    """A phrase at any line break, of a comment too."""
    return r'(?<![\w-])%s(?![\w-])' % r'\s+(?:\*\s+)?'.join(map(re.escape, phrase.split()))


Avoided = collections.namedtuple('Avoided', 'where phrase use allowed')


def avoided_words(path):
    """What docs/glossary.md avoids: (anywhere, at the beginning of a text, of a comment), each as [Avoided]."""
    found = {'anywhere': [], 'text': [], 'comment': []}
    table = ''
    for line in read(path).splitlines():
        if line.startswith('## '):
            table = line[3:].strip()
        cells = [c.strip() for c in line.strip('|').split('|')] if line.startswith('| ') else []
        where = {'At the beginning of a text or comment': 'text', 'At the beginning of a comment': 'comment',
                 'Not in any text': 'anywhere'}.get(table)
        if len(cells) == 3:
            where = 'anywhere'
        if where and len(cells) in (2, 3):
            old, allowed = phrases(cells[-1])
            found[where] += [Avoided(where, re.compile(pattern(p), re.I), cells[0],
                                     re.compile('|'.join(map(pattern, allowed)) or r'(?!)', re.I)) for p in old]
    return found


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group(0))


def prose(path, text):
    """A file with all that is no text replaced by blanks, and where its paragraphs begin: [(place, is a comment)].

    Of a .txt that is the texts of the pages, "key = text", of a .js what t(), N() and plural() are given.
    """
    if path.endswith('.md'):
        if os.path.basename(path) == 'CHANGELOG.md':
            text = text[:text.find('\n## [', text.find('## [Unreleased]') + 1)]
        text = re.sub(r'^( *)```.*?^ *```', blank, text, flags=re.S | re.M)
        text = without_indented_code(text)
        text = re.sub(r'`[^`]*`', lambda m: re.sub(r'[^\n]', '_', m.group(0)), text)
        text = re.sub(r'\]\([^)]*\)|https?://\S+|"[^"]{1,80}"', blank, text)
        starts = r'(?:\A|\n\s*\n|\n(?= *(?:[-*#|]|\d+\.)))[\s#*-]*(?:\d+\. +)?[*_]*(?=[A-Za-z])|\| *(?=[A-Za-z])'
        return text, [(m.end(), False) for m in re.finditer(starts, text)]
    if re.search(r'\.[1-8]$', path):
        text = roff_text(text)
    if path.endswith(('.c', '.h', '.def')):
        kept, starts = re.sub(r'[^\n]', ' ', text), []
        for match in re.finditer(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', text, re.S):
            if match.group(0).startswith('/*'):
                kept = kept[:match.start()] + match.group(0) + kept[match.end():]
                top = re.match(r'/\*[\s*]*(?:[\w.]+ - )?', match.group(0))
                starts.append((match.start() + top.end(), True))
        return kept, starts
    if path.endswith('.txt'):
        text = re.sub(r'^[\w.]+ = ', blank, text, flags=re.M)
        return text, [(m.end(), False) for m in re.finditer(r'^ *', text, re.M)]
    if path.endswith('.js'):
        string = r"'(?:[^'\\]|\\.)*'"
        calls = re.finditer(r"\b(?:[tN]\(\s*(%s)|plural\([^',]*,\s*(%s),\s*(%s))" % (string, string, string), text)
        return only(text, [call.span(i) for call in calls for i in range(1, 4) if call.group(i)])
    return text, [(m.end(), False) for m in re.finditer(r'(?:\A|\n\s*\n)\s*', text)]


def only(text, spans):
    """The text with all but these literals replaced by blanks, and where they begin."""
    kept, at = '', 0
    for start, end in spans:
        kept += re.sub(r'[^\n]', ' ', text[at:start]) + '.' + text[start + 1:end - 1] + '.'
        at = end
    return kept + re.sub(r'[^\n]', ' ', text[at:]), [(start + 1, False) for start, _ in spans]


def strings(text):
    """A C file with all but its strings replaced by blanks, and where they and their paragraphs begin; see prose()."""
    kept, starts, at = '', [], 0
    for match in re.finditer(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', text, re.S):
        code = text[at:match.start()]
        kept += re.sub(r'[^\n,;{}]', ' ', code)
        piece = match.group(0)
        if piece.startswith('/*'):
            kept += re.sub(r'[^\n]', ' ', piece)
        else:
            if code.strip():
                starts.append((match.start() + 1, False))
            starts += [(match.start() + m.end(), False) for m in re.finditer(r'(?:\\n)+', piece)]
            kept += ' %s ' % piece[1:-1].replace('\\n', '  ')
        at = match.end()
    return kept + re.sub(r'[^\n]', ' ', text[at:]), starts


def roff_text(text):
    """A man page as plain text of as many lines: names in bold and italics are underscores, headings and tags empty."""
    text = re.sub(r'^\.nf$.*?^\.fi$', blank, text, flags=re.S | re.M)
    text = re.sub(r'\\f[BIR]|\\&', '', text).replace('\\-', '-')
    text = re.sub(r'^\.TP\n.*|^\.(?:[PIT]P|R[SE]|S[HS]|TH|nf|fi).*', blank, text, flags=re.M)
    return re.sub(r'^\..*', lambda m: '_' * len(m.group(0)), text, flags=re.M)


def without_indented_code(text):
    """Lines that begin with four spaces are code after an empty line, but in a list."""
    lines, code, in_list = text.split('\n'), True, False
    for i, line in enumerate(lines):
        if line.startswith('    '):
            if code and not in_list:
                lines[i] = ' ' * len(line)
        elif line.strip():
            code, in_list = False, bool(re.match(r' *(?:[-*]|\d+\.) ', line)) or (in_list and line.startswith('  '))
        else:
            code = True
    return '\n'.join(lines)


def is_question(text, start):
    end = re.compile(r'[.?\n|]').search(text, start)
    return bool(end) and end.group(0) == '?'


def language(tree):
    path = os.path.join(tree.root, 'docs/glossary.md')
    if not os.path.exists(path):
        return
    avoided = avoided_words(path)
    for name, done in [(n, 'LANGUAGE_DONE') for n in LANGUAGE_DONE] + [(n, 'STRINGS_DONE') for n in STRINGS_DONE]:
        paths = sorted(glob.glob(os.path.join(tree.root, name), recursive=True))
        if not paths:
            yield Violation('language', name, 1, 'is in %s and does not exist' % done)
        for path in paths:
            text, starts = prose(path, read(path)) if done == 'LANGUAGE_DONE' else strings(read(path))
            for word in avoided['anywhere']:
                found = list(word.phrase.finditer(text))
                fine = [m.span() for m in word.allowed.finditer(text)] if found else []
                for match in found:
                    if not any(a <= match.start() and match.end() <= b for a, b in fine):
                        yield language_violation(tree, path, text, match, word)
            for start, is_comment in starts:
                for word in avoided['text'] + (avoided['comment'] if is_comment else []):
                    match = word.phrase.match(text, start)
                    if match and not word.allowed.match(text, start) and not is_question(text, start):
                        yield language_violation(tree, path, text, match, word)


def language_violation(tree, path, text, match, word):
    said = ' '.join(match.group(0).replace('*', ' ').split())
    return Violation('language', os.path.relpath(path, tree.root), text.count('\n', 0, match.start()) + 1,
                     '"%s"%s: write %s' % (said, '' if word.where == 'anywhere' else ' at the beginning', word.use))


def in_string(text, at):
    line = text[text.rfind('\n', 0, at) + 1:at]
    return line.count('"') % 2 == 1


# ---- style, column, SQL ----

def styled(tree):
    for path, text in sorted(tree.text.items()):
        result = style.style(text, path)
        if result != text:
            before, after = text.split('\n'), result.split('\n')
            differ = [i for i, (a, b) in enumerate(zip(before, after)) if a != b] or [min(len(before), len(after)) - 1]
            yield Violation('style', path, differ[0] + 1, 'should read: ' + after[differ[0]].strip()[:80])


def column(tree):
    for path, text in sorted(tree.text.items()):
        for number, line in enumerate(text.split('\n'), 1):
            if len(line) > style.COLUMNS:
                yield Violation('column', path, number, '%d columns' % len(line))


STATEMENT = re.compile(r'"\s*(?:(?:select|delete from|insert into|create (?:table|index|schema|role)|alter table'
                       r'|drop table|truncate table|update \w+ set|with \w+ as)\s)[^"]*', re.I)
POSITION = re.compile(r'\bdb_(?:text|int|bool|uuid|bytes|is_null|null)\(\s*\w+,\s*\w+,\s*\d+\s*\)')


def sql(tree):
    """Statements are files; common/pg, which runs them, has its own for migrations, locks and the settings of a
    connection, and tests have theirs."""
    for path, text in tree.sources():
        if path.startswith(('tests/', 'common/pg/')):
            continue
        for pattern, what in ((STATEMENT, 'SQL in C'), (POSITION, 'a column by its number')):
            for match in pattern.finditer(text):
                yield Violation('sql', path, text.count('\n', 0, match.start()) + 1, what)


# ---- versions ----

def debian_date(text):
    """"Sun, 22 Nov 2026 00:00:00 +0000" as 2026-11-22."""
    return datetime.datetime.strptime(text[:16], '%a, %d %b %Y').strftime('%Y-%m-%d')


def versions(tree):
    """The Makefile, CHANGELOG.md, debian/changelog and the tags name the same versions, the first two with their days."""
    paths = [os.path.join(tree.root, name) for name in ('Makefile', 'CHANGELOG.md', 'debian/changelog')]
    if not all(os.path.exists(path) for path in paths):
        return
    current = re.search(r'^VERSION\s*:?=\s*(\S+)', read(paths[0]), re.M)
    sections = dict(re.findall(r'^## \[(\d[^]]*)\] - (\S+)$', read(paths[1]), re.M))
    entries = {version: debian_date(day) for version, day in re.findall(
        r'^\w+ \(([^)]+)\).*?^ -- .*?>  (.*?)$', read(paths[2]), re.M | re.S)}
    if not current or current.group(1) != next(iter(sections), None):
        yield Violation('versions', 'CHANGELOG.md', 1, 'its newest version is not VERSION of the Makefile')
    if not current or current.group(1) != next(iter(entries), None):
        yield Violation('versions', 'debian/changelog', 1, 'its newest version is not VERSION of the Makefile')
    for version in sorted(set(sections) | set(entries)):
        if sections.get(version) != entries.get(version):
            yield Violation('versions', 'CHANGELOG.md', 1, '%s is of %s, in debian/changelog of %s' % (
                version, sections.get(version), entries.get(version)))
    tags = subprocess.run(['git', '-C', tree.root, 'tag', '--list', 'v*'], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout.split()
    for tag in tags:
        if tag[1:] not in sections:
            yield Violation('versions', 'CHANGELOG.md', 1, 'has no section for the tag %s' % tag)


# ---- headers ----

def closure(tree, path, seen=None):
    """A file of the tree and what it includes of the tree, at any depth."""
    seen = set() if seen is None else seen
    if path in tree.text and path not in seen:
        seen.add(path)
        for _, included in tree.includes[path]:
            closure(tree, included, seen)
    return seen


def headers(tree, command, cache):
    """What compiles is remembered in `cache` with a hash of all that it is made of: a second run compiles nothing."""
    compiler = shlex.split(command) + ['-fsyntax-only', '-x', 'c']
    good = json.loads(read(cache)) if os.path.exists(cache) else {}
    todo = {}
    for path in tree.text:
        if path.endswith('.h'):
            parts = [command] + ['%s\n%s' % (p, tree.text[p]) for p in sorted(closure(tree, path))]
            todo[path] = hashlib.sha256('\0'.join(parts).encode()).hexdigest()

    def compile_one(path):
        if good.get(path) == todo[path]:
            return path, ''
        done = subprocess.run(compiler + [path], cwd=tree.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return path, '' if done.returncode == 0 else done.stdout

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(compile_one, sorted(todo)))
    os.makedirs(os.path.dirname(cache), exist_ok=True)
    with open(cache + '.%d' % os.getpid(), 'w') as f:
        json.dump({path: todo[path] for path, said in results if not said}, f)
    os.replace(f.name, cache)
    for path, said in results:
        if said:
            found = re.search(r'error: (.*)', said)
            yield Violation('headers', path, 1, 'does not compile alone: %s' % (found.group(1) if found else said[:200]))


# ---- the verdict ----

def judge(violations):
    """Lines that say what is wrong, and for each file and rule how to comply."""
    found = collections.defaultdict(list)
    for violation in violations:
        found[violation.rule, violation.path].append(violation)
    for (rule, path), list_ in sorted(found.items()):
        for one in list_:
            yield '%s:%d: %s: %s' % (one.path, one.line, one.rule, one.text)
        yield '    %s: to comply: %s' % (path, ADVICE[rule])


def run(root, objects=None, compiler=None, cache=None):
    """Looks at a tree. Returns what is wrong, line by line, and the number of files."""
    tree = Tree(root)
    violations = [v for rule in (floors, circular_includes, words, language, styled, column, sql, versions) for v in rule(tree)]
    if objects:
        violations += circular_calls(tree, objects)
    if compiler:
        violations += headers(tree, compiler, cache)
    return list(judge(violations)), len(tree.text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tree', default=os.path.join(HERE, '..', '..'))
    parser.add_argument('--objects')
    parser.add_argument('--headers', metavar='COMPILER', help='what compiles each header; needs --objects')
    options = parser.parse_args()
    wrong, count = run(os.path.abspath(options.tree), options.objects, options.headers,
                       os.path.join(options.objects or '.', 'lint/headers.json'))
    for line in wrong:
        print(line)
    if wrong:
        sys.exit('lint: FAILED')
    print('lint: %d files' % count)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""What authd/page/pagegen.pl makes of templates, and how it refuses wrong ones: each with its file and line."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGEGEN = os.path.join(ROOT, 'authd/page/pagegen.pl')

HEAD = '<!-- A page.\nin: v text, on bool\nlist row: label text -->\n'
USES = '{{if on}}{{v}}{{each row}}{{row.label}}{{end}}{{end}}'
TEXTS = {'en': 'error.x = Wrong\nhello = Hello {v}\n', 'de': 'error.x = Falsch\nhello = Hallo {v}\n',
         'es': 'error.x = Error\nhello = Hola {v}\n'}
HELLO = '<p>{{t hello}}</p>'

# (what, body of p/x.html, a piece of what is written or of the refusal); USES and HELLO stand behind each body.
GOOD = [
    ('text', '<p>{{v}}</p>', 'page_put(out, PAGE_HTML, in->v);'),
    ('a title', '<title>{{v}}</title>', 'page_put(out, PAGE_HTML, in->v);'),
    ('a value', '<input value="{{v}}">', 'page_put(out, PAGE_ATTRIBUTE, in->v);'),
    ('all of an address', '<a href="{{v}}">x</a>', 'page_put(out, PAGE_URL, in->v);'),
    ('a segment of a path', '<a href="/t/{{v}}/x">x</a>', 'page_put(out, PAGE_URL_SEGMENT, in->v);'),
    ('a query', '<a href="/t?a={{v}}">x</a>', 'page_put(out, PAGE_URL_QUERY, in->v);'),
    ('a query behind an address', '<a href="{{v}}?a={{v}}">x</a>', 'page_put(out, PAGE_URL_QUERY, in->v);'),
    ('a fragment', '<a href="#{{v}}">x</a>', 'page_put(out, PAGE_URL_QUERY, in->v);'),
    ('a picture', '<img alt="x" src="{{v}}">', 'page_put(out, PAGE_IMAGE, in->v);'),
    ('a value of JSON', '<script type="application/json">{"a": {{v}}}</script>', 'page_put(out, PAGE_JSON, in->v);'),
    ('a condition in a tag', '<input{{if on}} checked{{end}}>', 'if (in->on) {'),
    ('a condition that is not', '{{if not v}}<p>x</p>{{else}}<p>y</p>{{end}}', 'if (!(page_has(in->v))) {'),
    ('a text with a placeholder', '', 'page_put(out, PAGE_HTML, "Hallo ");\n        page_put(out, PAGE_HTML, in->v);'),
    ('a comment holds nothing', '<!-- {{nothing}} --><p>x</p>', '<p>x</p>'),
]
BAD = [
    ('a program', '<p>\n<script>var a = 1;</script>', 'p/x.html:5: a program in a template'),
    ('a value in a program', '<script>{{v}}</script>', 'a variable in a script'),
    ('a script of another type', '<script type="module">{{v}}</script>', 'a script is data'),
    ('a picture by half', '<img src="/t/{{v}}">', 'a variable in attribute src'),
    ('an inner text of JSON', '<script type="application/json">{"a": "{{v}}"}</script>', 'leave out the quotes'),
    ('a key of JSON', '<script type="application/json">{ {{v}}: 1}</script>', 'where JSON has no value'),
    ('a style', '<style>a { color: {{v}} }</style>', 'p/x.html:4: a variable in a style'),
    ('a style of an element', '<p style="{{v}}">x</p>', 'takes no style of an element'),
    ('an event handler', '<p onclick="{{v}}">x</p>', 'runs no event handler'),
    ('a value without quotes', '<input value={{v}}>', 'the value of value stands in double quotes'),
    ('a value in single quotes', "<input value='{{v}}'>", 'the value of value stands in double quotes'),
    ('a name of an attribute', '<p {{v}}>x</p>', 'a variable in a tag'),
    ('a name of an element', '<{{v}}>x</p>', 'a "<" that begins no element'),
    ('the rest of a name', '<h{{v}}>x</h1>', 'element h is not allowed'),
    ('an attribute behind a value', '<p class="a"{{v}}>x</p>', 'a variable in a tag'),
    ('an attribute without a blank', '<p class="a"id="b">x</p>', 'no blank before attribute id'),
    ('an attribute that is not listed', '<input type="{{v}}">', 'a variable in attribute type'),
    ('a source of scripts', '<script type="application/json" src="{{v}}"></script>', 'a variable in attribute src'),
    ('a meta', '<meta name="x" content="{{v}}">', 'a variable in attribute content'),
    ('a header', '<meta http-equiv="set-cookie" content="a=b">', 'http-equiv is for "refresh"'),
    ('a header of a link', '<a http-equiv="refresh">x</a>', 'http-equiv is for "refresh"'),
    ('a refresh by half', '<meta http-equiv="refresh" content="{{v}}">', 'a variable in attribute content'),
    ('a scheme', '<a href="{{v}}:x{{v}}">x</a>', 'a variable in href stands for'),
    ('a scheme before a variable', '<a href="javascript:{{v}}">x</a>', 'a variable in href stands for'),
    ('a host', '<a href="https://{{v}}/">x</a>', 'a variable in href stands for'),
    ('a host without a scheme', '<a href="//{{v}}/">x</a>', 'a variable in href stands for'),
    ('a host of two slashes', '<a href="//evil/{{v}}">x</a>', 'a variable in href stands for'),
    ('a part of a segment', '<a href="/t/a{{v}}">x</a>', 'a variable in href stands for'),
    ('two in a segment', '<a href="/t/{{v}}{{v}}">x</a>', 'a variable in href stands for'),
    ('a text in an address', '<a href="/t?a={{t hello}}">x</a>', 'a text in href'),
    ('an element that is not listed', '<iframe src="/">', 'element iframe is not allowed'),
    ('a comment without an end', '<!-- {{v}}', 'a "<" that begins no element'),
    ('an element that is not open', '<p>x</div>', '</div> ends p'),
    ('an element without an end', '<div>', 'p/x.html:1: ends in an open element: div'),
    ('a condition that opens an element', '{{if on}}<div>{{end}}x', 'end in different places'),
    ('a condition over the end of a value', '<p class="{{if on}}a"{{end}}>x</p>', 'end in different places'),
    ('a condition in a start of an address', '<a href="{{if on}}/t/{{end}}{{v}}">x</a>', 'end in different places'),
    ('a condition without an end', '{{if on}}x', 'has no {{end}}'),
    ('an end of nothing', '{{end}}', 'end of nothing'),
    ('an unknown variable', '<p>{{other}}</p>', 'p/x.html:4: there is no variable other here'),
    ('a member outside of its list', '<p>{{row.label}}</p>', 'there is no variable row.label here'),
    ('a truth as text', '<p>{{on}}</p>', 'on is a bool, which cannot be written'),
    ('an unknown tag', '<p>{{raw v}}</p>', '{{raw v}} is no tag'),
    ('an unknown text', '<p>{{t other}}</p>', 'there is no text other'),
    ('an unknown part', '<p>x</p>\n{{include other}}', 'p/x.html:5: p/part/other.html: No such file'),
]


def run(folder, body, head=HEAD, texts=TEXTS, uses=USES + HELLO, more=None):
    files = {'p/text/%s.txt' % language: text for language, text in texts.items()}
    files['p/x.html'] = head + body + uses
    files.update(more or {})
    for path, content in files.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='latin-1') as f:
            f.write(content)
    return subprocess.run([PAGEGEN, 'gen', 'p', 'page'], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def made(folder, name='gen/p/pages.c'):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return ''
    with open(path) as f:
        return f.read()


def main():
    failed = []
    count = 0

    def check(what, holds, text):
        nonlocal count
        count += 1
        if not holds:
            failed.append('%s: %s' % (what, text))

    def refused(what, want, **given):
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder, given.pop('body', ''), **given)
            check(what, done.returncode != 0 and want in done.stdout, done.stdout)
            check(what + ': nothing is made', not made(folder), '')

    for what, body, want in GOOD:
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder, body)
            check(what, done.stdout == '' and want in made(folder), done.stdout + made(folder))
    for what, body, want in BAD:
        refused(what, want, body=body)
    refused('an unused variable', 'p/x.html:1: variable v is not used', uses='', texts=dict.fromkeys(TEXTS, ''))
    refused('an unused member', 'p/x.html:1: variable row.label is not used', texts=dict.fromkeys(TEXTS, ''),
            uses='{{if on}}{{v}}{{each row}}x{{end}}{{end}}')
    inner = HEAD.replace(' -->', '\nlist part of row: word text, on bool -->')
    inner_uses = USES.replace('{{row.label}}', '{{row.label}}{{each part}}%s{{end}}')
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, '', head=inner,
                   uses=inner_uses % '{{if part.on}}{{row.label}}{{part.word}}{{t hello}}{{end}}' + HELLO)
        for what, want in (('a list of a row', 'for (size_t j = 0; j < in->row[i].part_count; j++)'),
                           ('a member of the inner row', 'PAGE_HTML, in->row[i].part[j].word);'),
                           ('a condition on it', 'if (in->row[i].part[j].on)'),
                           ('a member of the outer row', '            page_put(out, PAGE_HTML, in->row[i].label);')):
            check(what, done.stdout == '' and want in made(folder), done.stdout + made(folder))
        header = made(folder, 'gen/p/pages.h')
        check('the struct of the inner row comes first', 0 < header.find('struct page_x_row_part {') <
              header.find('struct page_x_row {') and 'const struct page_x_row_part *part;' in header, header)
    of_part = HEAD[:HEAD.index('list row')] + 'list row: part rows -->\n'
    part = {'p/part/rows.html': '<!-- Rows.\nlist row: label text -->\n{{each row}}{{row.label}}{{end}}'}
    with tempfile.TemporaryDirectory() as folder:
        uses = USES.replace('{{each row}}{{row.label}}{{end}}', '{{include rows}}') + HELLO
        done = run(folder, '', head=of_part, uses=uses, more=dict(part, **{'p/y.html': of_part + uses}))
        header = made(folder, 'gen/p/pages.h')
        check('pages that include a part have its rows', done.stdout == '' and
              header.count('struct page_rows_row {') == 1 and header.count('const struct page_rows_row *row;') == 2,
              done.stdout + header)
    refused('a list that the part has not', 'part/rows.html has no list row', head=of_part,
            more={'p/part/rows.html': '<!-- None. -->'})
    refused('an unused member of an inner row', 'p/x.html:1: variable row.part.on is not used', head=inner,
            uses=inner_uses % '{{part.word}}')
    refused('an inner member outside of its list', 'there is no variable part.word here', head=inner,
            uses=inner_uses % '{{if part.on}}x{{end}}' + '{{part.word}}')
    refused('an inner list outside of its row', 'there is no variable part here', head=inner, body='{{each part}}{{end}}')
    refused('a list in another', 'row is no list of row', body='{{each row}}{{each row}}{{end}}{{end}}')
    refused('a list of none', 'other is no list before it', head=inner.replace('of row', 'of other'))
    refused('no head', 'p/x.html:1: the first line begins a comment', head='')
    refused('an unknown type', '"v int" is not a name and one of', head=HEAD.replace('v text', 'v int'))
    refused('a variable twice', 'v is there twice', head=HEAD.replace('on bool', 'v bool'))
    refused('a text that one language lacks', 'p/text/en.txt:1: error.x is missing in es.txt',
            texts=dict(TEXTS, es='hello = Hola {v}\n'))
    refused('a text that one language has more', 'p/text/de.txt:3: error.y is missing in en.txt',
            texts=dict(TEXTS, de=TEXTS['de'] + 'error.y = Y\n'))
    refused('other placeholders', 'hello has other placeholders in de.txt: , not v',
            texts=dict(TEXTS, de='error.x = Falsch\nhello = Hallo\n'))
    refused('a text twice', 'p/text/en.txt:3: hello is there twice', texts=dict(TEXTS, en=TEXTS['en'] + 'hello = A\n'))
    refused('a text with markup', 'p/text/en.txt:3: a text holds no markup',
            texts=dict(TEXTS, en=TEXTS['en'] + 'error.z = <b>A</b>\n'))
    refused('a text that is not UTF-8', 'p/text/de.txt:1: is not UTF-8', texts=dict(TEXTS, de='error.x = \xff\n'))
    refused('a text that no template uses', 'no template uses other',
            texts={language: text + 'other = A\n' for language, text in TEXTS.items()})
    refused('a text for C with a placeholder', 'error.z: a text that C chooses has no placeholder',
            texts={language: text + 'error.z = {v}\n' for language, text in TEXTS.items()})
    with tempfile.TemporaryDirectory() as folder:
        run(folder, '')
        header = os.path.join(folder, 'gen/p/pages.h')
        os.utime(header, (1, 1))
        run(folder, '<p>more</p>')
        check('a header that says the same is left alone', os.stat(header).st_mtime == 1, '')
    for line in failed:
        print('test_pagegen: ' + line, file=sys.stderr)
    print('test_pagegen: %d passed, %d failed' % (count - len(failed), len(failed)))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

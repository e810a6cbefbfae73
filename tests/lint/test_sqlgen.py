#!/usr/bin/env python3
"""What common/pg/sqlgen.pl makes of statements, and how it refuses wrong ones: each with its file and line."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SQLGEN = os.path.join(ROOT, 'common/pg/sqlgen.pl')

AUDIT = '''-- Who did it, for each row of {from}.
-- args: from, entity = :entity
-- in: at int8, entity text null
{as}_written as (insert into audit (at, entity) select :at, {entity} from {from})
'''
READ = '-- A thing.\n-- class: read\n-- in: id uuid\n-- rows: one\n-- row: name text\n'

# (what, text of d/sql/s/x.sql, a piece of what is written or of the refusal)
GOOD = [
    ('a parameter is numbered once', READ + 'select name from t where id = :id or parent = :id',
     'where id = $1 or parent = $1'),
    ('texts, names, comments and casts hold no parameter',
     READ + "select ':a' || \"b:c\"::text as name -- :d, it's\nfrom t where id = :id", 'from t where id = $1'),
    ('a part with its arguments', '-- A write.\n-- class: write\n-- in: id uuid\n-- rows: none\nwith\n'
     'x as (delete from t where id = :id returning id),\n'
     "-- include: audit(from = x, entity = coalesce(:audit.entity, 'T, ' || id)),\n"
     '-- include: audit as again(from = x)\nselect from x',
     "audit_written as (insert into audit (at, entity) select $2, coalesce($3, 'T, ' || id) from x),\\n\"\n"
     '    "again_written as (insert into audit (at, entity) select $4, $5 from x)'),
    ('an argument with commas', '-- A write.\n-- class: write\n-- in: id uuid\n-- rows: none\nwith\n'
     'x as (delete from t where id = :id returning id),\n'
     '-- include: audit(from = {x, (values (1, 2)) y}, entity = null)\nselect from x',
     'select $2, null from x, (values (1, 2)) y)'),
    ('an include over several lines', '-- A write.\n-- class: write\n-- in: id uuid\n-- rows: none\nwith\n'
     'x as (delete from t where id = :id returning id),\n'
     '-- include: audit(from = x,\n--     entity = null),\n-- a remark\ny as (select)\nselect from x',
     'select $2, null from x),\\n"\n    "-- a remark'),
    ('a line of an include that ends in a parenthesis', '-- A write.\n-- class: write\n-- in: id uuid\n'
     '-- rows: none\nwith\nx as (delete from t where id = :id returning id),\n'
     '-- include: audit(from = (values (1)) y,\n--     entity = concat(:audit.entity, \')\'),\n--     )\nselect from x',
     "select $2, concat($3, ')') from (values (1)) y)"),
    ('names that are longer than others', READ.replace('id uuid', 'id uuid, id_of text')
     + 'select name from t where id = :id and o = :id_of', 'where id = $1 and o = $2'),
]
BAD = [
    ('no class', '-- A thing.\n-- rows: one\nselect', 'd/sql/s/x.sql:1: class is'),
    ('no purpose', '-- class: read\n-- rows: one\nselect', 'd/sql/s/x.sql:1: the first line'),
    ('an unknown parameter', READ + 'select name\nfrom t where id = :id and x = :other',
     'd/sql/s/x.sql:7: :other is not in'),
    ('an unused parameter', READ.replace('id uuid', 'id uuid, more text') + 'select name from t where id = :id',
     'd/sql/s/x.sql:1: parameter more is not used'),
    ('a parameter named twice', READ.replace('id uuid', 'id uuid, id text') + 'select name from t where id = :id',
     'id is there twice'),
    ('an unknown type', READ.replace('id uuid', 'id int4') + 'select name', 'd/sql/s/x.sql:3: there is no type int4'),
    ('a row of a write that has none', READ.replace('one', 'none') + 'select name from t where id = :id',
     'rows: none, and yet a row'),
    ('many of nothing', '-- A.\n-- class: read\n-- rows: many\nselect', 'rows: many, of what?'),
    ('an unknown part', READ + 'with\n-- include: nothing(from = x)\nselect', 'd/sql/s/x.sql:7: there is no part nothing'),
    ('a missing argument', READ + 'with\n-- include: audit\nselect', 'd/sql/s/x.sql:7: part audit needs an argument from'),
    ('an argument too many', READ + 'with\n-- include: audit(from = x, to = y)\nselect',
     'd/sql/s/x.sql:7: part audit has no argument to'),
    ('an include in a line of others', READ + 'with -- include: audit(from = x)\nselect', 'stands alone in its line'),
    ('an include without an end', READ + 'with\n-- include: audit(from = x,\n-- entity = null\nselect',
     'd/sql/s/x.sql:7: an include is'),
    ('an include that ends in the parenthesis of an argument',
     READ + 'with\n-- include: audit(from = f(x)\nselect', 'd/sql/s/x.sql:7: an include is'),
    ('a semicolon', READ + 'select name from t where id = :id;', 'ends without a semicolon'),
    ('nothing', READ, 'there is no statement'),
]


# (what, text of d/sql/s/x.sql, {file: piece of what is written})
PERSON = '-- A person.\n-- args: of\n-- row: name text, born int8 null\n{of}.name, {of}.born'
REMOVE = '-- Removes rows.\n-- class: write\n-- parts: audit\n-- in: id uuid, most int8\n-- rows: one\n-- row: removed int8\n'
LIST = '-- Lists.\n-- class: read\n-- rows: many\n-- row: struct person\n'
SHARED = {'c/sql/part/person.sql': PERSON, 'c/sql/call/remove.sql': REMOVE, 'd/sql/call/list.sql': LIST}
PERSON_GET = READ.replace('name text', 'row person') + 'select\n-- include: person(of = p)\nfrom p where id = :id'
PERSON_LIST = PERSON_GET.replace('one', 'many')
FAMILY = READ.replace('name text', 'id uuid, child row person, parent row person') + (
    'select p.id,\n-- include: person(of = p),\n-- include: person as parent(of = q)\nfrom p, q where p.id = :id')
REMOVED = ('-- Removes.\n-- call: remove\nwith x as (delete from t where id = :id returning id),\n'
           '-- include: audit(from = x)\nselect count(*) as removed from x')
ROWS = [
    ('the row of a part', PERSON_GET, {
        'd/sql/s.h': 'const struct sql_x_in *in, struct sql_person_row *row, struct error',
        'd/sql.c': 'offsetof(struct sql_person_row, born)'}),
    ('rows of a part', PERSON_LIST, {'d/sql/s.h': 'struct sql_person_rows *rows, struct error'}),
    ('a row of parts within columns', FAMILY, {
        'd/sql/s.h': '    struct uuid id;\n    struct sql_person_row child;\n    struct sql_person_row parent;\n',
        'd/sql.c': '    {"born", SQL_TYPE_INT8, true, offsetof(struct sql_x_row, parent.born), NULL},\n'}),
    ('a call', REMOVED, {
        'd/sql/s.h': '/* Removes. */\nextern const struct db_statement *const sql_x_statement;\n\n#endif',
        'd/sql.c': '{"audit.at", SQL_TYPE_INT8, false, offsetof(struct sql_remove_in, audit.at), NULL}'}),
    ('the functions of a call', REMOVED, {
        'd/sql_part.h': 'sql_list(struct db *db, const struct request *req, const struct db_statement *statement, '
                        'struct sql_list_rows *rows, struct error *err)\n{\n'
                        '    return sql_run(db, req, statement, NULL, rows, err);\n}'}),
    ('the rows of a call', REMOVED, {
        'd/sql_part.h': 'struct sql_list_rows {\n    const struct person *items;\n    size_t count;\n};\n'}),
]
BAD_ROWS = [
    ('a row of a part that has none', READ.replace('name text', 'row audit') + 'select', 'part audit has no row'),
    ('a row of an unknown part', READ.replace('name text', 'row nothing') + 'select',
     'd/sql/s/x.sql:5: there is no part nothing'),
    ('a row of a part and columns', PERSON_GET.replace('row person', 'row person\n-- row: name text', 1),
     'a row is one struct, the row of a part or'),
    ('an unknown call', REMOVED.replace('call: remove', 'call: nothing'), 'd/sql/s/x.sql:1: there is no call nothing'),
    ('a row beside a call', REMOVED.replace('remove\n', 'remove\n-- row: removed int8\n', 1),
     'its call says what its row is'),
    ('parameters beside a call', REMOVED.replace('remove\n', 'remove\n-- in: id uuid\n', 1),
     'its call says what its in is'),
    ('a part that is not of the call', REMOVED.replace('audit(', 'audit as other('), 'its call has no part other'),
    ('a parameter that is not of the call', REMOVED.replace('= :id', '= :other'), ':other is not in'),
]


def run(folder, text, part=AUDIT, other=None, parts={}, shared={}):
    files = {'d/sql/s/x.sql': text, 'c/sql/part/audit.sql': part, **shared}
    files.update({'c/sql/part/%s.sql' % name: content for name, content in parts.items()})
    if other:
        files['d/sql/o/x.sql'] = other
    for path, content in files.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as f:
            f.write(content)
    return subprocess.run([SQLGEN, 'gen', 'd', 'c'], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)


def read(folder, path):
    with open(os.path.join(folder, path)) as f:
        return f.read()


def main():
    failed = []
    count = 0

    def check(what, holds, text):
        nonlocal count
        count += 1
        if not holds:
            failed.append('%s: %s' % (what, text))

    for what, text, want in GOOD:
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder, text)
            made = read(folder, 'gen/d/sql.c') if done.returncode == 0 else ''
            check(what, want in made, done.stdout + made)
    for what, text, wanted in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder, text, shared=SHARED)
            for path, want in wanted.items():
                made = read(folder, 'gen/' + path) if done.returncode == 0 else ''
                check(what, want in made, done.stdout + made)
    for what, text, want in BAD_ROWS:
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder, text, shared=SHARED)
            check(what, done.returncode != 0 and want in done.stdout, done.stdout)
    for what, text, want in BAD:
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder, text)
            check(what, done.returncode != 0 and want in done.stdout, done.stdout)
            check(what + ': nothing is made', not os.path.exists(os.path.join(folder, 'gen/d/sql.c')), '')
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, GOOD[0][1], other=GOOD[0][1])
        check('two of one name', 'd/sql/s/x.sql:1: d/sql/o/x.sql has that name' in done.stdout, done.stdout)
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, GOOD[2][1], part=AUDIT.replace(':at', ':when'))
        check('a part that is wrong', 'c/sql/part/audit.sql:4: :when is not' in done.stdout, done.stdout)
    nested = AUDIT.replace('from {from})', 'from {from} where\n    -- include: recent(at = :at, of = {from})\n)')
    recent = '-- Whether {of} is recent at {at}.\n-- args: at, of\n{of}.made > {at}'
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, GOOD[2][1], part=nested, parts={'recent': recent})
        made = read(folder, 'gen/d/sql.c') if done.returncode == 0 else ''
        check('a part in a part', 'x.made > $2' in made, done.stdout + made)
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, GOOD[2][1], part=nested, parts={'recent': recent.replace('-- args', '-- in: a int8\n-- args')})
        check('a part with parameters in a part', 'part recent has parameters of its own' in done.stdout, done.stdout)
    with tempfile.TemporaryDirectory() as folder:
        done = run(folder, GOOD[2][1], part=nested, parts={'recent': recent + '\n-- include: recent(at = {at}, of = {of})'})
        check('a part in itself', 'parts include each other' in done.stdout, done.stdout)
    with tempfile.TemporaryDirectory() as folder:
        run(folder, GOOD[0][1])
        header = os.path.join(folder, 'gen/d/sql/s.h')
        os.utime(header, (1, 1))
        run(folder, GOOD[0][1] + ' and true')
        check('a header that says the same is left alone', os.stat(header).st_mtime == 1, '')
    for line in failed:
        print('test_sqlgen: ' + line, file=sys.stderr)
    print('test_sqlgen: %d passed, %d failed' % (count - len(failed), len(failed)))
    return 1 if failed else 0


sys.exit(main())

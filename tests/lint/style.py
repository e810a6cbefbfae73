#!/usr/bin/env python3
"""Brings C sources to the one style that `make lint` checks.

usage: style.py [FILE...]        without FILE: every tracked .c, .h and .def

sizeof(x), !p for a NULL test, UNUSED instead of `(void)parameter;`, the own header first among the includes, header
guards that name the path, comments of 100 columns, clang-format. In .def files: comments, routes and long texts; tables
of statements stay as they are. A second run changes nothing.
"""
import os
import re
import subprocess
import sys

COLUMNS = 100


# ---- code and what is not code ----

def mask(text, keep_strings=False):
    """text with comments, strings and characters blanked (newlines stay): positions are those of text."""
    def blank(match):
        token = match.group(0)
        if keep_strings and token[0] in '"\'':
            return token
        if token[0] in '"\'':
            return token[0] + re.sub(r'[^\n]', 'x', token[1:-1]) + token[-1]
        return re.sub(r'[^\n]', ' ', token)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def edit(text, edits):
    """edits: (start, end, replacement), not overlapping."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def sizeof(text):
    if not re.search(r'\bsizeof\s+[^(\s]', text):
        return text
    code = mask(text)
    edits = []
    for match in re.finditer(r'\bsizeof\s+(?!\()("x*"|[*&]*[A-Za-z_]\w*)', code):
        end = match.end()
        while True:
            member = re.compile(r'(?:->|\.)[A-Za-z_]\w*').match(code, end)
            if member:
                end = member.end()
            elif end < len(code) and code[end] == '[':
                depth, end = 1, end + 1
                while depth:
                    depth += {'[': 1, ']': -1}.get(code[end], 0)
                    end += 1
            else:
                break
        edits.append((match.start(), end, 'sizeof(' + text[match.start(1):end] + ')'))
    return edit(text, edits)


# ---- NULL ----

def operand_start(code, end):
    """Where the postfix expression that ends at `end` begins, with its unary * and &; None when that is not plain."""
    at = end
    while True:
        if code[at - 1] in ')]':
            pairs = {')': '(', ']': '['}
            stack = []
            while True:
                at -= 1
                if at < 0:
                    return None
                if code[at] in ')]':
                    stack.append(pairs[code[at]])
                elif code[at] in '([':
                    if stack.pop() != code[at]:
                        return None
                    if not stack:
                        break
            if code[at] == '(' and not re.search(r'[\w)\]]$', code[:at]):  # a parenthesis, not a call
                break
            if re.search(r'\b(?:if|while|for|return|switch|sizeof)\s*$', code[max(0, at - 12):at]):
                return None
            if code[at - 1] == ' ':
                break
            continue
        word = re.search(r'[A-Za-z_]\w*$', code[max(0, at - 80):at])
        if not word:
            return None
        at -= len(word.group(0))
        if code[at - 2:at] == '->':
            at -= 2
        elif code[at - 1] == '.' and re.search(r'[\w)\]]$', code[:at - 1]):
            at -= 1
        else:
            break
    while code[at - 1] in '*&' and not re.search(r'[\w)\]]\s*[*&]$|&&$', code[max(0, at - 20):at]):
        at -= 1
    if code[at - 1] == '!' or re.search(r'\)$', code[max(0, at - 1):at]):  # !x == NULL, (cast)x == NULL
        return None
    return at


def null(text):
    if not re.search(r'[=!]=\s*NULL\b', text):
        return text
    code = mask(text)
    edits = []
    for match in re.finditer(r'\s*([=!]=)\s*NULL\b', code):
        if re.match(r'\s*#', code[code.rfind('\n', 0, match.start()) + 1:match.start() + 1]):
            continue
        start = operand_start(code, match.start())
        if start is None:
            continue
        before, after = code[:start].rstrip(), code[match.end():].lstrip()
        if re.search(r'[-+*/%<>]$|[^&]&$|[^|]\|$', before[-2:]):
            continue
        if match.group(1) == '==':
            if after.startswith(('==', '!=')) or before.endswith(('==', '!=')):
                continue
            edits.append((start, match.end(), '!' + text[start:match.start()]))
            continue
        # p != NULL: where only its truth matters.
        truth = after.startswith(('&&', '||', '?')) or before.endswith(('&&', '||')) or (
            re.search(r'\b(?:if|while) \($', before) and after.startswith(')')) or (
            before.endswith(';') and after.startswith(';'))  # the condition of a `for`
        if truth and not before.endswith(('==', '!=')):
            edits.append((start, match.end(), text[start:match.start()]))
    # An edit inside another one, f(p == NULL) == NULL, is made in the next round.
    outer = []
    for one in sorted(edits):
        if outer and one[0] < outer[-1][1]:
            continue
        outer.append(one)
    result = edit(text, outer)
    return null(result) if len(outer) < len(edits) else result


# ---- the one marker of what is not used ----

def unused(text):
    if not re.search(r'^[ \t]+\(void\)\w+;', text, re.M):
        return text
    while True:
        code = mask(text)
        for match in re.finditer(r'^[ \t]+\(void\)(\w+);[ \t]*\n', code, re.M):
            name, at = match.group(1), match.start()
            if text[match.start():match.end()].count('/*'):
                continue
            opened = code.rfind('\n{\n', 0, at)
            if opened < 0:
                continue
            head = max(0, code.rfind('\n}\n', 0, opened), code.rfind(';\n', 0, opened), code.rfind('\n\n', 0, opened))
            parameter = re.search(r'\b%s\b(?=(?:\[[^\]]*\])?\s*[,)])' % name, code[head:opened])
            if parameter:
                place = head + parameter.end()
                text = edit(text, [(place, place, ' UNUSED'), (match.start(), match.end(), '')])
                break
            local = re.search(r'^([ \t]+)(?=(?:const |unsigned |struct )*\w+[ *]+%s\b\s*[;=])' % name,
                              code[opened + 3:at], re.M)
            if local:
                place = opened + 3 + local.end()
                text = edit(text, [(place, place, 'UNUSED '), (match.start(), match.end(), '')])
                break
        else:
            break
        # A body that began with the markers alone keeps no empty first line.
        text = re.sub(r'\n\{\n\n+', '\n{\n', text)
    return text


# ---- includes and guards ----

def own_first(text, path):
    own = '#include "%s"\n' % (path[:-1] + 'h')
    if not path.endswith('.c') or own not in text:
        return text
    first = re.search(r'^#include .*\n', text, re.M)
    if first.group(0) == own:
        return text
    rest = text[first.start():].replace('\n' + own, '\n', 1)
    rest = re.sub(r'\A\n+', '', rest)
    return text[:first.start()] + own + '\n' + rest


def guard(text, path):
    if not path.endswith('.h'):
        return text
    want = 'ATRIUM_' + re.sub(r'[^A-Z0-9]', '_', path[:-2].upper()) + '_H'
    found = re.search(r'^#ifndef (ATRIUM_\w+_H)\n#define \1\n', text, re.M)
    if found and found.group(1) != want:
        text = re.sub(r'\b%s\b' % found.group(1), want, text)
    return text


# ---- comments ----

def fill(words, first, rest):
    """Lines of at most COLUMNS; words carry the space that stands before them."""
    lines, line, prefix = [], '', first
    for space, word in words:
        if line and len(prefix + line + space + word) > COLUMNS:
            lines.append((prefix + line).rstrip())
            line, prefix = word, rest
        else:
            line = line + space + word if line else word
    lines.append((prefix + line).rstrip())
    return lines


def words_of(text):
    return [(space or '', word) for space, word in re.findall(r'(\s*)(\S+)', text)]


def reflow(body, prefix):
    """The lines of a comment without decoration -> lines with `prefix`, none longer than COLUMNS."""
    out, at = [], 0
    room = COLUMNS - len(prefix)
    while at < len(body):
        line = body[at]
        if len(line) <= room:
            out.append(line)
            at += 1
            continue
        indent = len(line) - len(line.lstrip())
        column = re.match(r'(\s*(?:\S+ )*\S+\s{2,})\S', line) if indent else None
        hang = len(column.group(1)) if column and len(column.group(1)) < 60 else indent
        paragraph = [line.strip()]
        at += 1
        wide = bool(column) and hang == indent  # a row of a table: stays one
        if wide:
            hang = indent + 4
        # What follows at the same indentation is the same paragraph, up to the line that looks like its end.
        while not wide and at < len(body) and body[at].strip() and not re.match(r'[-*] ', body[at].strip()) and (
                len(body[at]) - len(body[at].lstrip()) == hang):
            if column is None and indent and re.match(r'\s*(?:\S+ )*\S+\s{2,}\S', body[at]) and \
                    not re.search(r'[.:;] \s*\S', body[at]):
                break
            short = len(body[at - 1]) < 70
            if short:
                break
            paragraph.append(body[at].strip())
            at += 1
        text = paragraph[0]
        for more in paragraph[1:]:
            text += ' ' + more
        shift = ' ' * indent
        lines = fill(words_of(text), prefix + shift, prefix + ' ' * hang)
        out += [l[len(prefix):] for l in lines]
    return out


def comment_lines(token, column):
    """The text of a comment, line by line: without /*, */, and the stars or spaces before each line."""
    lines = token[2:-2].split('\n')
    starred = all(re.match(r'\s*\*', l) for l in lines[1:-1] + ([lines[-1]] if lines[-1].strip() else [])) and \
        len(lines) > 1
    body = [lines[0].strip()] if len(lines) > 1 else [token[2:-2].strip()]
    for line in lines[1:]:
        if starred and line.strip():
            line = re.sub(r'^\s*\* ?', '', line)
        else:
            line = line[min(len(line) - len(line.lstrip()), column + 3):]
        body.append(line.rstrip())
    return body


def wrap_block(token, column):
    """A comment that stands alone on its lines."""
    prefix = ' ' * column + ' * '
    body = comment_lines(token, column)
    closed = len(body) > 1 and body[-1] == ''
    if closed:
        body = body[:-1]
    if body[0] == '' and len(body) > 1:
        lines = reflow(body[1:], prefix)
        lines = ['/*'] + [(prefix + l).rstrip() for l in lines]
    else:
        # The last line also holds " */".
        body[-1] += '' if closed else '\0\0\0'
        lines = [(prefix + l).rstrip() for l in reflow(body, prefix)]
        lines[0] = '/* ' + lines[0][len(prefix):]
    text = '\n'.join(lines)
    if closed:
        return text + '\n' + ' ' * column + ' */'
    return text.replace('\0\0\0', '') + ' */'


def statement_start(text, code, at):
    """Start of the line on which the declaration that `at` ends begins: after the last line that ends one."""
    start = text.rfind('\n', 0, at) + 1
    while start > 0:
        before = code[text.rfind('\n', 0, start - 1) + 1:start - 1].rstrip()
        raw = text[text.rfind('\n', 0, start - 1) + 1:start - 1].strip()
        if before == '' or raw.startswith(('#', '/*', '*')) or before.endswith((';', '{', '}', ',', ':')) or \
                before.lstrip().startswith('#'):
            break
        start = text.rfind('\n', 0, start - 1) + 1
    return start


def comments(text):
    if all(len(line) <= COLUMNS for line in text.split('\n')):
        return text
    at = 0
    while True:
        code = mask(text)
        for match in re.finditer(r'/\*.*?\*/', mask_strings(text), re.S):
            if match.start() < at:
                continue
            line_start = text.rfind('\n', 0, match.start()) + 1
            line_end = text.find('\n', match.end())
            line_end = len(text) if line_end < 0 else line_end
            if all(len(l) <= COLUMNS for l in text[line_start:line_end].split('\n')):
                continue
            token = text[match.start():match.end()]
            before, after = text[line_start:match.start()], text[match.end():line_end]
            at = match.start() + 1
            if before.strip().startswith('#') or text[line_start - 2:line_start - 1] == '\\':
                continue  # a macro: by hand
            if before.strip() == '' and after.strip() == '':
                text = text[:match.start()] + wrap_block(token, len(before)) + text[match.end():]
                break
            if after.strip() == '' and before.strip():
                start = statement_start(text, code, match.start())
                indent = re.match(r'\s*', text[start:]).group(0)
                flat = '/* ' + ' '.join(l.strip() for l in comment_lines(token, 0)) + ' */'
                moved = indent + flat
                if len(moved) > COLUMNS:
                    moved = indent + wrap_block(flat, len(indent))
                text = text[:start] + moved + '\n' + text[start:match.start()].rstrip() + text[match.end():]
                break
        else:
            return text


def mask_strings(text):
    """text with the insides of strings blanked, comments kept."""
    def blank(match):
        token = match.group(0)
        if token[0] == '/':
            return token
        return token[0] + re.sub(r'[^\n]', 'x', token[1:-1]) + token[-1]
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


# ---- rows: what clang-format does not read ----

ROUTE = re.compile(r'^(ROUTE|ALIAS)\(([^\n"]*)("[^\n"]*")([^\n]*?),\s*\n?\s*("[^"\n]*"), *\n? *("(?:[^"\n]|\\")*")\)$', re.M)


def route(match):
    """A row of routes: method, path and handler; input, output, access and flags; since and summary."""
    method, path, since, summary = (match.group(i).strip(' ,') for i in (2, 3, 5, 6))
    handler, *rest = [word.strip() for word in match.group(4).strip(' ,').split(',')]
    return '%s(%s, %s, %s,\n      %s,\n      %s, %s)' % (
        match.group(1), method, path, handler, ', '.join(rest), since, summary)


def prose(match):
    """Consecutive lines of nothing but text, filled; a paragraph ends with a line break in the text."""
    lines = match.group(0).split('\n')
    if all(len(line) <= COLUMNS for line in lines):
        return match.group(0)
    indent = re.match(r' *', lines[0]).group(0)
    tail = re.search(r'"([,)]*)$', lines[-1]).group(1)
    paragraphs = [[]]
    for line in lines:
        text = line.strip().rstrip(',)')[1:-1]
        paragraphs[-1].append(text)
        if text.endswith('\\n'):
            paragraphs.append([])
    out = []
    for texts in filter(None, paragraphs):
        line = ''
        for word in re.findall(r'\S+ *', ''.join(texts)):
            if line and len(indent + line + word) + 2 > COLUMNS:
                out.append(indent + '"' + line + '"')
                line = ''
            line += word
        out.append(indent + '"' + line + '"')
    if len(out[-1] + tail) > COLUMNS:
        head, word = out[-1][:-1].rstrip(' ').rsplit(' ', 1)
        out[-1:] = [head + ' "', indent + '"' + word + '"']
    return '\n'.join(out) + tail


def rows(text):
    text = ROUTE.sub(route, text)
    # A subject and a short description on one line, while that is short enough.
    text = re.sub(r'^(DOC\([^"\n]*"[^"\n]*",) (".*)$', lambda m: m.group(0) if len(m.group(0)) <= COLUMNS else
                  m.group(1) + '\n    ' + m.group(2), text, flags=re.M)
    return re.sub(r'^( +)"(?:\\.|[^"\\\n])*"(?:\n\1"(?:\\.|[^"\\\n])*")*[,)]*$', prose, text, flags=re.M)


def style(text, path):
    if path.endswith('.def'):
        return rows(comments(text))
    text = guard(own_first(text, path), path)
    return comments(unused(null(sizeof(text))))


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
    files = sys.argv[1:] or subprocess.run(['git', 'ls-files', '*.c', '*.h', '*.def'], check=True, stdout=subprocess.PIPE,
                                           text=True).stdout.split()
    for turn in range(4):  # clang-format may join lines whose comment went away, and make others longer
        changed = []
        for path in files:
            with open(path) as f:
                text = f.read()
            result = style(text, path)
            if result != text:
                with open(path, 'w') as f:
                    f.write(result)
                changed.append(path)
        print('style.py: %d files changed' % len(changed))
        if not changed:
            break
        formatted = [path for path in changed if not path.endswith('.def')]
        if formatted:
            subprocess.run(['clang-format', '-i'] + formatted, check=True)
        files = changed


if __name__ == '__main__':
    main()

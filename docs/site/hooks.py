"""Fits the repository's Markdown to the website: mkdocs calls these functions."""
import os
import re

LINK = re.compile(r'\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)')


def on_page_markdown(markdown, page, files, **_):
    """Links a man page to its page, and leaves only the text of a link to source code."""
    here = os.path.dirname(page.file.src_path)

    def replaced(match):
        text, target = match.group(1), os.path.normpath(os.path.join(here, match.group(2)))
        if files.get_file_from_path(target):
            return match.group(0)
        manual = f'man/{os.path.basename(target)}.md'
        if files.get_file_from_path(manual):
            return f'[{text}]({os.path.relpath(manual, here)})'
        index = f'{target}/README.md'
        if files.get_file_from_path(index):
            return f'[{text}]({os.path.relpath(index, here)})'
        return text

    # not in code blocks
    parts = re.split(r'(^```.*?^```)', markdown, flags=re.M | re.S)
    return ''.join(part if part.startswith('```') else LINK.sub(replaced, part) for part in parts)

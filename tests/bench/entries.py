#!/usr/bin/env python3
# entries.py COUNT QUERIES - content for `make bench`: a JSON array of COUNT English entries for `atriumctl content import`
# on standard output, and URL-encoded searches, one per line, in the file QUERIES. Words are invented, with frequencies
# of a natural language (Zipf). Searches have one to three words of an entry. Of eight searches two have a wrong letter;
# one is a title's beginning, one an author, one incomplete, and one includes a code.
import json
import random
import sys
import urllib.parse

WORDS, SEARCHES = 20000, 2000
rng = random.Random(1)
syllables = [c + v + d for c in "bdfghklmnprstvz" for v in "aeiou" for d in ("", "n", "r", "s")]
words = set()
while len(words) < WORDS:
    words.add("".join(rng.choice(syllables) for _ in range(rng.choice((2, 2, 3, 3, 4)))))
words = sorted(words)
rng.shuffle(words)
total, bounds = 0.0, []
for rank in range(1, WORDS + 1):
    total += 1 / rank
    bounds.append(total)


def some(count):
    return rng.choices(words, cum_weights=bounds, k=count)


count, searches = int(sys.argv[1]), []
for i in range(count):
    title = some(5)
    entry = {"type": "article", "key": "entry-%d" % i, "language": "en", "title": " ".join(title).capitalize(),
             "author": " ".join(some(2)), "code": "code-%d" % (i % 1000),
             "sections": [{"title": " ".join(some(4)), "text": " ".join(some(40))} for _ in range(2)]}
    sys.stdout.write(("[" if i == 0 else ",\n") + json.dumps(entry))
    if i % max(1, count // SEARCHES) == 0:
        kind = len(searches) % 8
        wanted = rng.sample(title + some(3), rng.choice((1, 2, 2, 3)))
        if kind % 4 == 3 and len(wanted[0]) > 4:
            wanted[0] = wanted[0][:2] + "x" + wanted[0][3:]
        elif kind == 1:
            wanted = entry["author"].split()
        elif kind == 2:
            wanted = title[:4]
        elif kind == 4:
            wanted[-1] = wanted[-1][:rng.choice((1, 2, 3, 4))]
        searches.append({"search": " ".join(wanted), **({"code": entry["code"]} if kind == 5 else {})})
print("]")
with open(sys.argv[2], "w") as file:
    file.writelines(urllib.parse.urlencode(search, quote_via=urllib.parse.quote) + "\n" for search in searches)

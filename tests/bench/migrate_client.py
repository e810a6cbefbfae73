"""migrate_client.py URL PEOPLE STOP - exchanges the refresh tokens of seed's PEOPLE one by one and requests their
profiles until the file STOP exists. Prints the numbers of requests and of refusals, and the longest time in ms."""
import json
import os
import sys
import time
import urllib.error
import urllib.request

base, people, stop = sys.argv[1:]
longest, requests, refused = 0.0, 0, 0


def ask(path, headers, body=None):
    global longest, requests, refused
    data = None if body is None else json.dumps(body).encode()
    began = time.monotonic()
    try:
        with urllib.request.urlopen(urllib.request.Request(base + path, data, headers), timeout=60) as answer:
            text = answer.read()
    except (OSError, urllib.error.HTTPError):
        text, refused = None, refused + 1
    longest, requests = max(longest, time.monotonic() - began), requests + 1
    return json.loads(text) if text else None


with open(people) as rows:
    for row in rows:
        if os.path.exists(stop):
            break
        new = ask("/auth/refresh-token", {"Content-Type": "application/json"}, {"refresh_token": row.split()[3]})
        if new:
            ask("/auth/me", {"Authorization": "Bearer " + new["access_token"]})
print(requests, refused, round(1000 * longest))

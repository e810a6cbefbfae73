"""weigh_client.py URL PEOPLE FIRST COUNT WHAT - does WHAT once for each of COUNT of seed's people, from number FIRST on:
"sign-in" (start and token; people with a second factor are skipped) or "refresh". Prints the count and the seconds;
exits with 1 at the first failure."""
import itertools
import json
import sys
import time
import urllib.request

base, people, first, count, what = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"


def ask(path, body):
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(base + path, json.dumps(body).encode(), headers), timeout=30) as answer:
        return json.load(answer)


def sign_in(role, code, email):
    prefix = f"/auth/tenant/{role}/login"
    start = ask(f"{prefix}/start", {"email": email, "password": "correct horse", "tenantCode": code, "codeChallenge": CHALLENGE})
    ask(f"{prefix}/token", {"sessionCode": start["sessionCode"], "codeVerifier": VERIFIER, "tenantCode": code})


done, began = 0, time.monotonic()
with open(people) as rows:
    for row in itertools.islice(rows, first, first + count):
        role, code, email, refresh, factor = row.split()
        if what == "refresh":
            ask("/auth/refresh-token", {"refresh_token": refresh})
        elif factor == "-":
            sign_in(role, code, email)
        else:
            continue
        done += 1
print(done, time.monotonic() - began)

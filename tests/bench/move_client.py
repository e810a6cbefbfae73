"""move_client.py URL PEOPLE fill COUNT - stores COUNT documents of 20 KB as the first patient of seed's PEOPLE.
move_client.py URL PEOPLE watch - changes the first tenant's account policy as its admin in a loop until a line comes on
stdin. Prints "watching", and finally for how many seconds changes were refused, from the last accepted one before to the
first after. Exits with 1 when none was refused, or the last one was."""
import json
import select
import sys
import time
import urllib.error
import urllib.request

base, people, what = sys.argv[1:4]


def ask(method, path, access, body):
    headers = {"Content-Type": "application/json"} | ({"Authorization": "Bearer " + access} if access else {})
    request = urllib.request.Request(base + path, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def access_of(role):
    with open(people) as rows:
        refresh = next(row.split("\t")[3] for row in rows if row.startswith(role))
    return ask("POST", "/auth/refresh-token", None, {"refresh_token": refresh})["access_token"]


def store(access, number):
    made = ask("POST", "/document", access, {"fileName": f"{number}.bin", "contentType": "application/octet-stream"})
    parts = [f'--move\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
             for name, value in made["uploadOptions"]["fields"].items()]
    parts.append('--move\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n')
    body = "".join(parts).encode() + bytes([number % 251]) * 20000 + b"\r\n--move--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=move"}
    urllib.request.urlopen(urllib.request.Request(made["uploadOptions"]["url"], body, headers), timeout=30).close()


def is_taken(access, number):
    try:
        ask("PUT", "/v1/project/account-policy", access, {"passwordMinLength": 1 + number % 2})
        return True
    except urllib.error.HTTPError as error:
        if error.code != 503 or b"PROJECT_READ_ONLY" not in error.read():
            raise
        return False


def watch(access):
    number, taken_at, window = 0, time.monotonic(), None
    while not select.select([sys.stdin], [], [], 0.01)[0]:
        number += 1
        began = time.monotonic()
        if is_taken(access, number):
            if window == "open":
                window = time.monotonic() - taken_at
            taken_at = began
            if number == 1:
                print("watching", flush=True)
        elif window is None:
            window = "open"
    if not isinstance(window, float):
        sys.exit("move: no change was refused" if window is None else "move: changes are still refused")
    print(f"{window:.1f}")


if what == "fill":
    token = access_of("Patient")
    for n in range(int(sys.argv[4])):
        store(token, n)
else:
    watch(access_of("Practitioner"))

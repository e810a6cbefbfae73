"""suite.py - the suite, as `atriumctl dev` starts it, for `make bench-peers` and `make bench-before`."""
import json
import os
import re
import subprocess

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
    heads,
    post,
    refresh,
    request,
)

BUILD = os.environ.get("BUILD", "build")
CHALLENGE, VERIFIER = (
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
)


class Suite(Server):
    name = "atrium"
    password_hash = "Argon2id, 19 MiB, 2 passes"

    def __init__(self, scratch, build=BUILD):
        self.build = build
        self.scratch, self.dir = (
            scratch,
            f"{scratch}/{self.name}",
        )  # atriumctl makes the directory
        log = f"{self.dir}.log"
        ready = lambda: re.search(r"^atrium: ready (\S+)", open(log).read(), re.M)
        self.start([f"{build}/bin/atriumctl", "dev", "--dir", self.dir, "--port", "0"], ready)
        self.base = ready().group(1)

    def version(self):
        return "Atrium"

    def seed(self, image):
        info = open(f"{self.dir}/dev.json").read()
        self.text = lambda member: re.search(rf'"{member}": *"([^"]*)"', info).group(1)
        people = subprocess.run(
            [
                f"{self.build}/tests/bench/seed",
                self.text("conninfo"),
                f"{self.dir}/keys/authd.key",
                "10",
                "2000",
                "2000",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
            text=True,
        ).stdout.split("\n")
        tokens = [line.split()[3] for line in people if line]
        token, owner, admin = (
            self.register("reader"),
            self.register("owner"),
            "Bearer " + self.admin(),
        )
        for _ in range(DOCUMENTS):
            request(
                self.base + "/document",
                {"fileName": "bench.bin", "contentType": "application/octet-stream"},
                token,
            )
        small, large = self.put(os.urandom(SMALL), owner), self.put(os.urandom(LARGE), owner)
        images = self.copies(self.put(image, owner, "image/jpeg"), IMAGES)
        self.plans = {
            "me": Plan("/auth/me", heads(token)),
            "settings": Plan("/v1/project/settings", heads(admin)),
            "refresh": refresh(tokens),
            "list": Plan("/document", heads(token)),
            "10k": self.read("10k", self.copies(small, SMALL_FILES), owner),
            "1m": self.read("1m", self.copies(large, LARGE_FILES), owner),
            "resize": self.resize(
                [
                    f"{path}?width={size.split('x')[0]}&height={size.split('x')[1]}"
                    for size in SIZES
                    for path in images
                ],
                owner,
            ),
            "sign-in": Plan(
                "",
                ["-s", "tests/bench/login.lua"],
                {
                    "BENCH_PASSWORD": PASSWORD,
                    "BENCH_PEOPLE": self.lines_file(
                        "people",
                        [
                            line
                            for line in people
                            if line.startswith("Patient") and line.split()[4] == "-"
                        ],
                    ),
                },
            ),
        }
        subprocess.run(
            [
                "psql",
                "-q",
                "-d",
                self.text("conninfo"),
                "-c",
                "vacuum (analyze)",
                "-c",
                "checkpoint",
            ],
            check=True,
        )

    def register(self, name):
        person = {
            "email": f"{name}@patients.example",
            "password": PASSWORD,
            "name": "Ben",
            "surname": "Bench",
            "tenantCode": "demo",
        }
        return (
            "Bearer " + request(self.base + "/auth/tenant/Patient/register", person)["accessToken"]
        )

    def admin(self):
        code = request(
            self.base + "/auth/tenant/Practitioner/login/start",
            {
                "email": self.text("adminEmail"),
                "password": self.text("adminPassword"),
                "tenantCode": "demo",
                "codeChallenge": CHALLENGE,
            },
        )["sessionCode"]
        return request(
            self.base + "/auth/tenant/Practitioner/login/token",
            {"sessionCode": code, "codeVerifier": VERIFIER},
        )["accessToken"]

    def issuer_plans(self):
        """Plans for a client of demo's issuer, with its own tokens and a token of the person `reader`."""
        settings = {
            "authMethod": "client_secret_post",
            "firstParty": True,
            "redirectUris": ["http://127.0.0.1/bench"],
            "grantTypes": ["authorization_code", "client_credentials"],
            "scopes": ["openid", "email", "reports.read"],
        }
        with open(f"{self.dir}.client", "w") as file:
            json.dump(settings, file)
        client = self.client("create", "bench", "--file", file.name, "--type", "confidential")["id"]
        secret = self.client("secret", client)["secret"]
        command = ["tests/bench/person_token.py", self.text("publicUrl") + "/t/demo", client, secret]
        command += [settings["redirectUris"][0], "reader@patients.example", PASSWORD]
        token = subprocess.run(
            command, stdout=subprocess.PIPE, check=True, text=True
        ).stdout.strip()
        own = f"client_id={client}&client_secret={secret}"
        kind = "application/x-www-form-urlencoded"
        return {
            "userinfo": Plan("/t/demo/userinfo", heads("Bearer " + token)),
            "introspect": post("/t/demo/introspect", f"{own}&token={token}", kind),
            "client_token": post(
                "/t/demo/token", own + "&grant_type=client_credentials&scope=reports.read", kind
            ),
            "page": Plan("/t/demo/sign-in"),
        }

    def client(self, command, *arguments):
        """Returns the output of `atriumctl client`."""
        ctl = [f"{self.build}/bin/atriumctl", "--dir", self.dir, "--json", "client", command]
        answer = subprocess.run(
            [*ctl, "--project", "demo", *arguments], stdout=subprocess.PIPE, check=True
        ).stdout
        return json.loads(answer)

    def put(self, data, token, content_type="application/octet-stream"):
        made = request(
            self.base + "/document", {"fileName": "b.bin", "contentType": content_type}, token
        )
        body, kind = form(made["uploadOptions"]["fields"], "file", data, content_type)
        request(self.base + "/storage/documents", body, content_type=kind)
        return made["id"]

    def copies(self, document, count):
        """Makes this many documents with those bytes: copied rows, and links to the bytes."""
        sql = f"""begin; set local search_path = doc;
            select object_id from document where id = '{document}';
            create temporary table fresh on commit drop as
                select d.* from document d, generate_series(1, {count}) where d.id = '{document}';
            update fresh set id = gen_random_uuid();
            update fresh set object_id = id;
            insert into object (project_id, id, document_id) select project_id, id, id from fresh;
            insert into document select * from fresh;
            select id from fresh; commit;"""
        first, *ids = subprocess.run(
            ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", self.text("conninfo")],
            input=sql,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout.split()
        place = lambda name: f"{self.dir}/storage/{name[:2]}/{name}"
        for each in ids:
            os.makedirs(os.path.dirname(place(each)), exist_ok=True)
            os.link(place(first), place(each))
        return [f"/document/{each}" for each in ids]

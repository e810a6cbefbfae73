"""glewlwyd.py - Debian's glewlwyd, an identity provider in C, for `make bench-peers`.

Its database is in PostgreSQL. Its OpenID Connect plugin signs with ES256, and refresh tokens work
once. The package is unpacked, not installed: no service and no system account.
"""
import gzip
import json
import os
import subprocess
import urllib.parse
import urllib.request

from server import PASSWORD, ROUNDS, TOKENS, Plan, Server, free_port, heads, post, refresh, request

ROOT = os.path.abspath("build/peers/glewlwyd")
FORM = "application/x-www-form-urlencoded"


class Glewlwyd(Server):
    name = "glewlwyd"
    lacks = "is an identity provider: no documents, no settings of a tenant"
    connections = 8
    password_hash = "bcrypt, cost 6, in PostgreSQL (pgcrypto)"

    def __init__(self, scratch, database):
        super().__init__(scratch)
        self.database = database
        database.sql("postgres", "create database glewlwyd")
        with gzip.open(f"{ROOT}/usr/share/doc/glewlwyd/database/init.postgre.sql.gz", "rt") as f:
            database.sql("glewlwyd", "create extension pgcrypto;\n" + f.read())
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        os.mkdir(f"{self.dir}/none")
        modules = {
            "user_module_path": "user",
            "client_module_path": "client",
            "user_auth_scheme_module_path": "scheme",
            "plugin_module_path": "plugin",
        }
        with open(f"{self.dir}/glewlwyd.conf", "w") as f:
            f.write(
                f'port={port}\nbind_address="127.0.0.1"\nexternal_url="{self.base}"\n'
                'api_prefix="api"\n'
                'login_url="login.html"\nlog_mode="console"\nlog_level="ERROR"\n'
                'cookie_domain="127.0.0.1"\ncookie_secure=0\n'
                'session_expiration=2419200\nsession_key="session"\n'
                'admin_scope="g_admin"\nprofile_scope="g_profile"\n'
                f'user_middleware_module_path="{self.dir}/none"\nhash_algorithm="SHA512"\n'
                + "".join(
                    f'{key}="{ROOT}/usr/lib/glewlwyd/{folder}"\n' for key, folder in modules.items()
                )
                + f'database={{type="postgre"; '
                f'conninfo="host={database.dir} user=postgres dbname=glewlwyd";}};\n'
            )
        self.start(
            [f"{ROOT}/usr/bin/glewlwyd", f"--config-file={self.dir}/glewlwyd.conf"],
            lambda: self.answers("/api/"),
        )

    def version(self):
        text = subprocess.run(
            [f"{ROOT}/usr/bin/glewlwyd", "--help"], stdout=subprocess.PIPE, text=True
        ).stdout
        return "glewlwyd " + text.split("Version ")[1].split()[0]

    def admin_cookie(self):
        body = json.dumps({"username": "admin", "password": "password"}).encode()
        ask = urllib.request.Request(
            self.base + "/api/auth/", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(ask, timeout=30) as answer:
            return answer.headers["Set-Cookie"].split(";")[0]

    def seed(self, image):
        cookie = self.admin_cookie()
        make = lambda path, body: request(f"{self.base}/api/{path}/", body, cookie=cookie)
        key = subprocess.run(
            ["openssl", "ecparam", "-genkey", "-name", "prime256v1", "-noout"],
            check=True,
            stdout=subprocess.PIPE,
        ).stdout
        public = subprocess.run(
            ["openssl", "ec", "-pubout"],
            input=key,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ).stdout
        grants = ("client", "code", "token", "implicit", "password", "refresh", "device")
        make(
            "mod/plugin",
            {
                "module": "oidc",
                "name": "oidc",
                "display_name": "oidc",
                "enabled": True,
                "parameters": {
                    "iss": self.base,
                    "jwt-type": "ecdsa",
                    "jwt-key-size": "256",
                    "key": key.decode(),
                    "cert": public.decode(),
                    "code-duration": 600,
                    "access-token-duration": 3600,
                    "refresh-token-duration": 1209600,
                    "refresh-token-one-use": "always",
                    "allow-non-oidc": True,
                    **{
                        f"auth-type-{grant}-enabled": grant in ("password", "refresh")
                        for grant in grants
                    },
                },
            },
        )
        make(
            "client",
            {
                "client_id": "bench",
                "client_name": "bench",
                "confidential": True,
                "client_secret": "bench",
                "authorization_type": ["password"],
                "token_endpoint_auth_method": ["client_secret_post"],
                "enabled": True,
            },
        )
        make(
            "client",
            {
                "client_id": "public",
                "client_name": "public",
                "confidential": False,
                "authorization_type": ["refresh_token"],
                "enabled": True,
            },
        )
        make(
            "user",
            {
                "username": "reader",
                "name": "Ben Bench",
                "password": PASSWORD,
                "email": "reader@bench.example",
                "scope": ["openid", "g_profile"],
                "enabled": True,
            },
        )
        sign_in = urllib.parse.urlencode(
            {
                "grant_type": "password",
                "client_id": "bench",
                "client_secret": "bench",
                "scope": "openid",
                "username": "reader",
                "password": PASSWORD,
            }
        )
        signed_in = [
            request(self.base + "/api/oidc/token", sign_in.encode(), content_type=FORM)
            for _ in range(TOKENS * ROUNDS)
        ]
        # As with the other servers, a client without a secret refreshes; otherwise each refresh would
        # hash its secret with bcrypt.
        self.database.sql(
            "glewlwyd",
            "update gpo_refresh_token set gpor_client_id = 'public'; vacuum (analyze); checkpoint",
        )
        self.plans = {
            "me": Plan("/api/oidc/userinfo", heads("Bearer " + signed_in[0]["access_token"])),
            "refresh": refresh(
                [each["refresh_token"] for each in signed_in],
                "/api/oidc/token",
                "grant_type=refresh_token&client_id=public&refresh_token=%s",
                FORM,
            ),
            "sign-in": post("/api/oidc/token", sign_in, FORM),
        }

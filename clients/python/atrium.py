"""atrium.py - Atrium for Python programs: sign-in, and one session that all processes of a machine share.

Copy this file into your project. It needs Python 3.9, a POSIX system, and requests.

    session = Session("https://api.clinic.example", "session.json")
    session.sign_in("Practitioner", "demo", email, password, code=lambda: input("Code: "))
    print(session.call("GET", "/auth/me")["profile"])

The file is the only place of the tokens. Each request reads it, so a process never sends a token that another process
has replaced. One process at a time refreshes, under a lock, and reads the file again once it has the lock.
"""
# SPDX-License-Identifier: Apache-2.0
import base64
import contextlib
import fcntl
import hashlib
import json
import os
import random
import secrets
import time

import requests

ANSWER_S = 10  # for one attempt of a refresh
REPEAT_S = 45  # during which a refresh is retried; the service accepts the same token again for 120 s
EARLY_S = 60  # by which a token is refreshed before it expires


class AtriumError(Exception):
    """A request that failed: status and code are for programs, the message is for people."""

    def __init__(self, answer=None, cause=None):
        body, headers = (_body(answer), answer.headers) if answer is not None else ({}, {})
        message, after = body.get("message"), headers.get("Retry-After", "")
        self.status = answer.status_code if answer is not None else 0  # 0: there was no answer
        self.code = body.get("code")
        self.problems = message if isinstance(message, list) else []  # of a 422: [{path, message}]
        self.retry_after = int(after) if after.isdigit() else 0  # seconds
        self.request_id = headers.get("X-Request-Id")
        if self.problems:
            message = " ".join(f"{each['path']}: {each['message']}" for each in self.problems)
        super().__init__(message or (f"HTTP status {self.status}" if self.status else f"No answer: {cause}"))

    @property
    def is_temporary(self):
        """Whether the service may answer later. The request may have had its effect."""
        return self.status == 0 or self.status == 429 or self.status >= 500


class Session:
    """One sign-in, which is stored in the file at `path` for all processes. A process that hangs with the lock is
    passed over after lock_seconds."""

    def __init__(self, url, path, lock_seconds=60):
        self.url = url.rstrip("/")
        self.path = os.path.abspath(path)
        self.lock_seconds = lock_seconds
        self.revoke_pending()

    def state(self):
        """Returns {signed_in, profile, project}, from the file."""
        kept = self._session() or {}
        return {"signed_in": bool(kept), "profile": kept.get("profile"), "project": kept.get("project")}

    # ---- sign-in and sign-out ----

    def sign_in(self, role, tenant_code, email, password, code=None):
        """Signs a 'Patient' or 'Practitioner' in. code() returns the code of a second factor, if one is needed."""
        at = f"/auth/tenant/{role}/login"
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        step = self._post(f"{at}/start", {"email": email, "password": password, "tenantCode": tenant_code,
                                          "codeChallenge": challenge})
        if step.get("nextStep") == "mfa":
            if code is None:
                raise ValueError("the account has a second factor: pass code")
            step = self._post(f"{at}/mfa", {"loginId": step["loginId"], "mfaToken": code()})
        tenant = {"tenantCode": tenant_code} if role == "Practitioner" else {}
        self.begin(self._post(f"{at}/token", {"sessionCode": step["sessionCode"], "codeVerifier": verifier, **tenant}))

    def register(self, role, tenant_code, **person):
        """Registers email, password, name and surname, and signs in. If the person must read an email first, returns
        'verify-email' or 'clinician-invite' instead."""
        answer = self._post(f"/auth/tenant/{role}/register", {**person, "tenantCode": tenant_code})
        if "nextStep" in answer:
            return answer["nextStep"]
        self.begin(answer)
        return None

    def begin(self, tokens):
        """Stores the tokens that a sign-in or a registration returned."""
        kept = {"id": secrets.token_hex(16), "access": tokens["accessToken"], "refresh": tokens["refreshToken"],
                "expires_in": tokens["expiresIn"], "at": time.time(), "project": tokens["project"]["reference"],
                "profile": tokens["profile"]["reference"]}
        self._change(lambda all_kept: all_kept.update(session=kept))

    def logout(self):
        """Forgets the tokens immediately and ends the session. False: the service could not be reached; the next
        Session or logout() tries again."""
        def forget(all_kept):
            session = all_kept.pop("session", None)
            if session:
                all_kept.setdefault("revoke", {})[session["id"]] = session
        self._change(forget)
        return self.revoke_pending()

    def revoke_pending(self):
        """Ends sessions whose logout() could not reach the service. Returns whether none is left."""
        for kept in self._read().get("revoke", {}).values():
            if self._end(kept):
                self._change(lambda all_kept, ended=kept["id"]: all_kept["revoke"].pop(ended, None))
        return not self._read().get("revoke")

    # ---- requests ----

    def call(self, method, path, **options):
        """Sends a request as request() does, and returns the JSON of its response. Raises AtriumError."""
        return _value(self.request(method, path, **options))

    def request(self, method, path, **options):
        """Sends a request with the access token and returns requests' response. After a 401, it refreshes the token and
        repeats the request once, but never as another person who has signed in meanwhile. A body that is a stream or a
        file is not repeated. Only URLs of the installation get the token."""
        url = path if "://" in path else self.url + path
        kept = self._current() if url.startswith(self.url + "/") else None
        answer = _send(method, url, kept and kept["access"], **options)
        error = _body(answer) if kept and answer.status_code == 401 else {}
        repeatable = "files" not in options and isinstance(options.get("data"), (type(None), str, bytes, dict))
        if error.get("statusCode") == 401 and not error.get("code") and repeatable:
            following = self._current(kept["access"])
            if following and following["id"] == kept["id"]:
                return _send(method, url, following["access"], **options)
        return answer

    def access_token(self, refused=None):
        """Returns an access token that is valid for another minute; None if signed out. `refused` is an access token
        that the service rejected: it is refreshed, unless another process has done so."""
        kept = self._current(refused)
        return kept and kept["access"]

    def _post(self, path, body):
        return _value(_send("POST", self.url + path, None, json=body))

    # ---- the file ----

    def _read(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                return json.load(file)
        except (FileNotFoundError, ValueError):
            return {}

    def _session(self):
        return self._read().get("session")

    def _change(self, change):
        """Replaces the file in one step; on disk before this returns, since a token that a crash takes back would be
        used twice."""
        with self._lock(".lock"):
            all_kept = self._read()
            change(all_kept)
            new = self.path + ".new"
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(all_kept, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, self.path)
            folder = os.open(os.path.dirname(self.path), os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    @contextlib.contextmanager
    def _lock(self, name, is_done=lambda: False):
        """Holds a lock among processes and threads, unless is_done() or another process has hung. The system releases
        the lock of a process that ends."""
        until = time.monotonic() + self.lock_seconds
        with open(self.path + name, "w", encoding="utf-8") as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > until or is_done():
                        break
                time.sleep(0.02)
            yield

    # ---- refresh ----

    def _current(self, refused=None):
        def is_good(kept):
            return not kept or (kept["access"] != refused and _is_fresh(kept))
        kept = self._session()
        if is_good(kept):
            return kept
        with self._lock(".refresh", lambda: is_good(self._session())):
            kept = self._session()  # another process may have refreshed it meanwhile
            return kept if is_good(kept) else self._refresh(kept)

    def _refresh(self, kept):
        """Retries with the same token while the outcome is unknown: authd returns the same new tokens again. Only
        authd's own 401 ends the session."""
        until, wait = time.monotonic() + REPEAT_S, 0.1
        while True:
            try:
                made = self._exchange(kept["refresh"])
            except AtriumError as error:
                now = self._session()
                if not now or now["refresh"] != kept["refresh"]:
                    return now
                pause = max(error.retry_after, wait * random.uniform(0.5, 1))
                if not error.is_temporary or time.monotonic() + pause > until:
                    raise  # still signed in: the next request tries again
                time.sleep(pause)
                wait = min(2 * wait, 5)
                continue
            return self._replace(kept, made and {
                **kept, "access": made["access_token"], "refresh": made["refresh_token"],
                "expires_in": made["expires_in"], "at": time.time()})

    def _replace(self, kept, following):
        """Stores what replaces `kept`, but not after a logout or another sign-in. Returns the stored session."""
        def replace(all_kept):
            if (all_kept.get("session") or {}).get("refresh") == kept["refresh"]:
                all_kept["session"] = following
        self._change(replace)
        return self._session()

    def _exchange(self, refresh):
        """Returns new tokens, or None if authd rejected the token. Raises AtriumError for everything else."""
        answer = _send("POST", f"{self.url}/auth/refresh-token", None, json={"refresh_token": refresh},
                       timeout=ANSWER_S)
        body = _body(answer)
        if answer.status_code == 401 and body.get("statusCode") == 401:
            return None
        if answer.ok and body.get("access_token") and body.get("refresh_token"):
            return body
        raise AtriumError(None if answer.ok else answer)

    def _end(self, kept):
        """Ends a session with its access token or, if that has expired, with a new one."""
        def logout(token):
            return _send("POST", f"{self.url}/auth/logout", token, timeout=ANSWER_S).status_code
        try:
            status = logout(kept["access"])
            if status != 401:
                return status == 204
            made = self._exchange(kept["refresh"])
            return not made or logout(made["access_token"]) == 204
        except AtriumError:
            return False


def _is_fresh(kept):
    age, life = time.time() - kept["at"], kept["expires_in"]  # a clock that was set back refreshes
    return 0 <= age < life - min(EARLY_S, life / 2)


def _send(method, url, token, **options):
    def authorize(request):  # requests would take a password from ~/.netrc otherwise
        if token:
            request.headers["Authorization"] = f"Bearer {token}"
        return request
    try:
        return requests.request(method, url, auth=authorize, **{"timeout": 30, **options})
    except requests.RequestException as cause:
        raise AtriumError(None, cause) from cause


def _body(answer):
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _value(answer):
    if not answer.ok:
        raise AtriumError(answer)
    return answer.json() if answer.content else None

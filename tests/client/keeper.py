#!/usr/bin/python3
# keeper.py URL FILE - clients/python as a peer of faults.mjs (see keepers.mjs): requests are lines of JSON on stdin, each
# in a thread of its own.
import json
import sys
import threading

sys.path.insert(0, "clients/python")
import atrium  # noqa: E402

url, path = sys.argv[1:]
session = atrium.Session(url, path)
enough = threading.Event()
writing = threading.Lock()


def me():
    return session.request("GET", "/auth/me").status_code


def renew_always():
    seen = {"renewals": 0, "wrong": []}
    enough.clear()
    token = session.access_token()
    while token and not enough.is_set() and len(seen["wrong"]) < 20:
        try:
            token = session.access_token(token)
        except atrium.AtriumError as error:
            seen["wrong"].append(str(error))
            continue
        seen["renewals"] += 1
        if seen["renewals"] % 20 == 0 and 200 != me() < 503:
            seen["wrong"].append("/auth/me")
    return {**seen, "state": state()}


def state():
    now = session.state()
    return {"signedIn": now["signed_in"], "profile": now["profile"]}


def sign_in(email, password, code):
    session.sign_in("Patient", "demo", email, password, code=lambda: code)
    return {"next": "done"}


def register(email, password):
    step = session.register("Patient", "demo", email=email, password=password, name="Ana", surname="Prova")
    return {"next": step or "done"}


def enroll():
    answer = session.request("POST", "/auth/passkey/enroll/start")
    return {"status": answer.status_code, "code": answer.json().get("code")}


def impatient(yes):
    session.lock_seconds = 0.5 if yes else 60


COMMANDS = {
    "signIn": sign_in, "register": register, "me": me, "state": state, "enroll": enroll,
    "renew": lambda: session.access_token(session.access_token()), "logout": session.logout,
    "renewAlways": renew_always, "stop": enough.set, "stepUp": lambda proof: session.call("POST", "/auth/step-up", json=proof),
    "fetch": lambda target: session.request("GET", target).status_code,
    "wake": session.revoke_pending, "impatient": impatient,
}


def run(request):
    try:
        answer = {"value": COMMANDS[request["do"]](*request["words"])}
    except atrium.AtriumError as error:
        answer = {"error": {"name": "AtriumError", "status": error.status, "requestId": error.request_id}}
    with writing:
        print(json.dumps({"id": request["id"], **answer}), flush=True)


for line in sys.stdin:
    threading.Thread(target=run, args=[json.loads(line)], daemon=True).start()

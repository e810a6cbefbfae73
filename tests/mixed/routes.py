"""routes.py NEW_GATEWAY_DIR OLD_GATEWAY_DIR - two suites of `atriumctl dev`. Requests from the first, as its admin, every
route that the second's gateway lacks, which old daemons must handle: within ten seconds, with JSON, and never with 500 or a
client error."""
import base64
import hashlib
import json
import sys
import urllib.error
import urllib.request

LIMIT_S = 10
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
ANY_ID = "00000000-0000-4000-8000-000000000000"


def ask(base, method, path, body=None, token=None):
    headers = {"Content-Type": "application/json"} if body is not None else {}
    if token:
        headers["Authorization"] = "Bearer " + token
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.read()


def sign_in(suite):
    demo = suite["demo"]
    login = "/auth/tenant/Practitioner/login/"
    body = {"email": demo["adminEmail"], "password": demo["adminPassword"],
            "tenantCode": demo["tenantCode"], "codeChallenge": CHALLENGE}
    _, text = ask(suite["baseUrl"], "POST", login + "start", body)
    body = {"sessionCode": json.loads(text)["sessionCode"], "codeVerifier": VERIFIER}
    _, text = ask(suite["baseUrl"], "POST", login + "token", body)
    return json.loads(text)["accessToken"]


def routes(suite):
    _, text = ask(suite["baseUrl"], "GET", "/openapi.json")
    return {(method, path): row for path, rows in json.loads(text)["paths"].items() for method, row in rows.items()}


def value_of(parameter):
    schema = parameter["schema"]
    return str(parameter.get("example", schema.get("example", schema.get("enum", [ANY_ID])[0])))


new, old = (json.load(open(name + "/dev.json")) for name in sys.argv[1:])
token, failed, statuses = sign_in(new), 0, {}
here, there = routes(new), routes(old)
for (method, path), row in sorted(here.items()):
    if (method, path) in there:
        continue
    query = []
    for parameter in row.get("parameters", []):
        if parameter["in"] == "path":
            path = path.replace("{%s}" % parameter["name"], value_of(parameter))
        elif parameter["in"] == "query" and parameter.get("required"):
            query.append(parameter["name"] + "=" + value_of(parameter))
    body = row.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
    try:
        status, text = ask(new["baseUrl"], method.upper(), path + ("?" + "&".join(query) if query else ""), body, token)
        json.loads(text)
    except (OSError, ValueError) as error:
        status = "no answer: %s" % error
    statuses[status] = statuses.get(status, 0) + 1
    if not isinstance(status, int) or status == 500:
        failed += 1
        print("mixed: %s %s: %s" % (method.upper(), path, status))
print("mixed: %d routes that only today's gateway knows: %s" % (
    sum(statuses.values()), ", ".join("%d times %s" % (n, s) for s, n in sorted(statuses.items(), key=str)) or "none"))
sys.exit(1 if failed else 0)

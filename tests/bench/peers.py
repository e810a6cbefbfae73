#!/usr/bin/env python3
"""peers.py - `make bench-peers`: the suite beside PocketBase (npm) and nginx, asked the same in turn.

The speed of a shared machine changes by the minute, so slices of BENCH_SECONDS (2) alternate, BENCH_ROUNDS (5) times, and
what counts is the median of the ratios of neighbours. CPU time is that of all processes of a server, its database's
included, for each request. BENCH_ONLY="me refresh" measures some operations only.

Both servers hold a person who asks, a hundred documents for the list and the same numbers of files of random bytes; the
suite has 2,000 accounts beside, since each of its renewals spends a token.
Files are read in turn from more than the gateway keeps in memory (8 MiB), so each read is a first one. Sign-ins cannot be
compared by rate: the suite hashes with Argon2id (19 MiB, 2 passes), PocketBase with bcrypt (cost 10).
"""
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid

BUILD = os.environ.get("BUILD", "build")
SECONDS = float(os.environ.get("BENCH_SECONDS", 2))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", 5))
ONLY = os.environ.get("BENCH_ONLY", "").split()
PASSWORD = "correct horse"
CHALLENGE, VERIFIER = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
SMALL, SMALL_FILES, LARGE, LARGE_FILES = 10240, 1200, 1048576, 24
CONNECTIONS, SIGN_IN_CONNECTIONS, THREADS = 32, 4, 2  # a sign-in is a hash: more connections only queue up


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def request(url, body=None, token=None, content_type="application/json"):
    headers = {"Content-Type": content_type} if body is not None else {}
    if token:
        headers["Authorization"] = token
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def form(fields, name, data):
    """A multipart form with a file behind the fields: its body and content type."""
    parts = b"".join(b'--bench\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (k.encode(), v.encode())
                     for k, v in fields.items())
    parts += b'--bench\r\nContent-Disposition: form-data; name="%s"; filename="a.bin"\r\n\r\n%s\r\n--bench--\r\n' % (
        name.encode(), data)
    return parts, "multipart/form-data; boundary=bench"


def cpu_us(root):
    """Microseconds that the processes below and including root have used, those of children that have ended too."""
    children, used = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as f:
                fields = f.read().rpartition(") ")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry))
        used[int(entry)] = sum(map(int, fields[11:15]))
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        total += used.get(pid, 0)
        waiting += children.get(pid, [])
    return total * 1_000_000 // os.sysconf("SC_CLK_TCK")


class Server:
    """A server that runs: its processes are started below self.process. plans: operation -> wrk's arguments."""

    def start(self, command, ready, **options):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        for _ in range(600):
            if ready():
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        sys.exit(f"bench-peers: {self.name} did not start")

    def answers(self, path):
        try:
            urllib.request.urlopen(self.base + path, timeout=5).close()
            return True
        except OSError as error:
            return hasattr(error, "code")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def paths_file(self, name, paths):
        file = f"{self.scratch}/{self.name}.{name}"
        with open(file, "w") as f:
            f.write("".join(f"{path}\n" for path in paths))
        return file

    def measure(self, operation):
        path, arguments, environment = self.plans[operation]
        before = cpu_us(self.process.pid)
        connections = SIGN_IN_CONNECTIONS if operation == "sign-in" else CONNECTIONS
        text = subprocess.run(["wrk", f"-t{THREADS}", f"-c{connections}", f"-d{SECONDS:.0f}s", "--timeout", "10s", "--latency",
                               *arguments, self.base + path], stdout=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, "BENCH_THREADS": str(THREADS), **environment}).stdout
        used = cpu_us(self.process.pid) - before
        requests = int(re.search(r"(\d+) requests in", text).group(1))
        done = re.search(r"^operations (\d+)", text, re.M)
        done = int(done.group(1)) if done else requests
        rate = float(re.search(r"Requests/sec:\s*([\d.]+)", text).group(1)) * done / requests
        value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
        if done == 0:
            sys.exit(f"bench-peers: {self.name} did nothing: {operation}")
        return {"rate": rate, "cpu": used / done, "bad": sum(map(int, re.findall(r"Non-2xx.*: (\d+)", text))),
                "p99": float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]}


class Suite(Server):
    name = "atrium"

    def __init__(self, scratch):
        self.scratch, self.dir = scratch, f"{scratch}/suite"
        out = open(f"{scratch}/suite.out", "w")
        self.process = subprocess.Popen([f"{BUILD}/bin/atriumctl", "dev", "--dir", self.dir, "--port", "0"], stdout=out,
                                        stderr=subprocess.DEVNULL)

    def seed(self):
        for _ in range(600):
            ready = re.search(r"^atrium: ready (\S+)", open(f"{self.scratch}/suite.out").read(), re.M)
            if ready or self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.base = ready.group(1)
        info = open(f"{self.dir}/dev.json").read()
        self.text = lambda member: re.search(rf'"{member}": *"([^"]*)"', info).group(1)
        people = subprocess.run([f"{BUILD}/tests/bench/seed", self.text("conninfo"), f"{self.dir}/keys/authd.key", "10", "2000",
                                 "2000"], stdout=subprocess.PIPE, check=True, text=True).stdout.split("\n")
        self.tokens = [line.split()[3] for line in people if line]
        token, owner, admin = self.register("reader"), self.register("owner"), "Bearer " + self.admin()
        for _ in range(100):
            request(self.base + "/document", {"fileName": "bench.bin", "contentType": "application/octet-stream"}, token)
        small, large = self.put(SMALL, owner), self.put(LARGE, owner)
        heads = ["-H", f"Authorization: {token}"]
        read = lambda name, paths: ("", ["-s", "tests/bench/each.lua", "-H", f"Authorization: {owner}"],
                                    {"BENCH_PATHS": self.paths_file(name, paths)})
        self.plans = {
            "me": ("/auth/me", heads, {}),
            "settings": ("/v1/project/settings", ["-H", f"Authorization: {admin}"], {}),
            "refresh": ("", ["-s", "tests/bench/refresh.lua"], {"BENCH_TOKENS": f"{self.scratch}/tokens"}),
            "list": ("/document", heads, {}),
            "10k": read("10k", self.copies(small, SMALL_FILES)),
            "1m": read("1m", self.copies(large, LARGE_FILES)),
            "sign-in": ("", ["-s", "tests/bench/login.lua"], {"BENCH_PASSWORD": PASSWORD, "BENCH_PEOPLE": self.paths_file(
                "people", [line for line in people if line.startswith("Patient") and line.split()[4] == "-"])}),
        }
        subprocess.run(["psql", "-q", "-d", self.text("conninfo"), "-c", "vacuum (analyze)", "-c", "checkpoint"], check=True)

    def register(self, name):
        person = {"email": f"{name}@patients.example", "password": PASSWORD, "name": "Ben", "surname": "Bench",
                  "tenantCode": "demo"}
        return "Bearer " + request(self.base + "/auth/tenant/Patient/register", person)["accessToken"]

    def admin(self):
        code = request(self.base + "/auth/tenant/Practitioner/login/start",
                       {"email": self.text("adminEmail"), "password": self.text("adminPassword"), "tenantCode": "demo",
                        "codeChallenge": CHALLENGE})["sessionCode"]
        return request(self.base + "/auth/tenant/Practitioner/login/token",
                       {"sessionCode": code, "codeVerifier": VERIFIER})["accessToken"]

    def put(self, size, token):
        made = request(self.base + "/document", {"fileName": "b.bin", "contentType": "application/octet-stream"}, token)
        body, kind = form(made["uploadOptions"]["fields"], "file", os.urandom(size))
        request(self.base + "/storage/documents", body, content_type=kind)
        return made["id"]

    def copies(self, document, count):
        """As many documents with those bytes: rows that are copied, and links to the bytes."""
        sql = f"""begin; set local search_path = doc;
            select object_id from document where id = '{document}';
            create temporary table fresh on commit drop as
                select d.* from document d, generate_series(1, {count}) where d.id = '{document}';
            update fresh set id = gen_random_uuid();
            update fresh set object_id = id;
            insert into object (project_id, id, document_id) select project_id, id, id from fresh;
            insert into document select * from fresh;
            select id from fresh; commit;"""
        first, *ids = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", self.text("conninfo")], input=sql, check=True,
                                     stdout=subprocess.PIPE, text=True).stdout.split()
        place = lambda name: f"{self.dir}/storage/{name[:2]}/{name}"
        for each in ids:
            os.makedirs(os.path.dirname(place(each)), exist_ok=True)
            os.link(place(first), place(each))
        return [f"/document/{each}" for each in ids]

    def measure(self, operation):
        if operation == "refresh":  # each slice begins with tokens that were not used
            with open(f"{self.scratch}/tokens", "w") as f:
                f.write("\n".join(self.tokens[:64]) + "\n")
            del self.tokens[:64]
        return super().measure(operation)


class PocketBase(Server):
    name = "pocketbase"

    def __init__(self, scratch, program):
        self.scratch, self.dir = scratch, f"{scratch}/pocketbase"
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        subprocess.run([program, "superuser", "upsert", "admin@bench.example", PASSWORD, "--dir", self.dir], check=True,
                       stdout=subprocess.DEVNULL)
        self.start([program, "serve", f"--http=127.0.0.1:{port}", "--dir", self.dir], lambda: self.answers("/api/health"))

    def records(self, collection, body, token, content_type="application/json"):
        return request(f"{self.base}/api/collections/{collection}/records", body, token, content_type)

    def sign_in(self, collection, identity):
        return request(f"{self.base}/api/collections/{collection}/auth-with-password",
                       {"identity": identity, "password": PASSWORD})

    def seed(self):
        admin = self.sign_in("_superusers", "admin@bench.example")["token"]
        self.records("users", {"email": "reader@bench.example", "password": PASSWORD, "passwordConfirm": PASSWORD,
                               "name": "Ben Bench", "verified": True}, admin)
        for name in ("document", "stored"):
            request(f"{self.base}/api/collections", {
                "name": name, "type": "base", "listRule": "@request.auth.id != ''", "viewRule": "@request.auth.id != ''",
                "fields": [{"name": "fileName", "type": "text"}, {"name": "contentType", "type": "text"},
                           {"name": "file", "type": "file", "maxSize": 2 * LARGE}]}, admin)
        for _ in range(100):
            self.records("document", {"fileName": "bench.bin", "contentType": "application/octet-stream"}, admin)
        small, large = self.put(SMALL, SMALL_FILES, admin), self.put(LARGE, LARGE_FILES, admin)
        user = self.sign_in("users", "reader@bench.example")
        heads = ["-H", f"Authorization: {user['token']}"]
        read = lambda name, paths: ("", ["-s", "tests/bench/each.lua", *heads], {"BENCH_PATHS": self.paths_file(name, paths)})
        post = lambda path, body: (path, ["-s", "tests/bench/post.lua", *heads], {"BENCH_BODY": body})
        self.plans = {
            "me": (f"/api/collections/users/records/{user['record']['id']}", heads, {}),
            "settings": ("/api/settings", ["-H", f"Authorization: {admin}"], {}),
            "refresh": post("/api/collections/users/auth-refresh", ""),
            "list": ("/api/collections/document/records?perPage=100&skipTotal=1", heads, {}),
            "10k": read("10k", small),
            "1m": read("1m", large),
            "sign-in": post("/api/collections/users/auth-with-password",
                            json.dumps({"identity": "reader@bench.example", "password": PASSWORD})),
        }

    def put(self, size, count, admin):
        data, paths = os.urandom(size), []
        for _ in range(count):
            body, kind = form({"fileName": "b.bin"}, "file", data)
            made = self.records("stored", body, admin, kind)
            paths.append(f"/api/files/stored/{made['id']}/{made['file']}")
        return paths


class Nginx(Server):
    name = "nginx"

    def __init__(self, scratch):
        self.scratch, root, port = scratch, f"{scratch}/www", free_port()
        self.base = f"http://127.0.0.1:{port}"
        os.mkdir(root)
        self.plans = {}
        for name, size, count in (("10k", SMALL, SMALL_FILES), ("1m", LARGE, LARGE_FILES)):
            paths = [f"/{name}-{i}" for i in range(count)]
            for path in paths:
                with open(root + path, "wb") as f:
                    f.write(os.urandom(size))
            self.plans[name] = ("", ["-s", "tests/bench/each.lua"], {"BENCH_PATHS": self.paths_file(name, paths)})
        with open(f"{scratch}/nginx.conf", "w") as f:
            f.write(f"worker_processes {THREADS}; daemon off; pid {scratch}/nginx.pid; error_log stderr crit;\n"
                    "events { worker_connections 1024; }\n"
                    "http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;\n"
                    + "".join(f"{kind}_temp_path {scratch}/nginx-{kind}; " for kind in
                              ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
                    + f"server {{ listen 127.0.0.1:{port}; root {root}; }} }}\n")
        self.start(["/usr/sbin/nginx", "-c", f"{scratch}/nginx.conf", "-p", scratch], lambda: self.answers("/10k-0"))

    def seed(self):
        pass


OPERATIONS = {"me": "who am I", "settings": "settings", "refresh": "renewal", "list": "list of 100", "10k": "first read of 10 KiB",
              "1m": "first read of 1 MiB", "sign-in": "sign-in"}


def compare(operation, servers):
    """Slices in turn; a line for each server, with the ratio of the suite's rate to its own."""
    slices = {server.name: [] for server in servers}
    for turn in range(ROUNDS):
        for server in servers if turn % 2 == 0 else servers[::-1]:
            slices[server.name].append(server.measure(operation))
    for server in servers:
        mine = slices[server.name]
        middle = {key: statistics.median(each[key] for each in mine) for key in ("rate", "p99", "cpu")}
        ratio = "" if server is servers[0] else "{:6.2f} {:6.2f}".format(
            statistics.median(a["rate"] / b["rate"] for a, b in zip(slices["atrium"], mine)),
            statistics.median(b["cpu"] / a["cpu"] for a, b in zip(slices["atrium"], mine)))
        bad = sum(each["bad"] for each in mine)
        print("{:22} {:11} {:9.0f}/s {:9.1f} ms {:9.0f} us  {}{}".format(
            OPERATIONS[operation], server.name, middle["rate"], middle["p99"], middle["cpu"], ratio,
            f"  {bad} refused" if bad else ""), flush=True)


def main():
    scratch = tempfile.mkdtemp(prefix="atrium-peers-")
    os.chmod(scratch, 0o755)  # PostgreSQL and the workers of nginx run as other users
    servers = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        servers.append(Suite(scratch))
        servers.append(PocketBase(scratch, sys.argv[1]))
        servers.append(Nginx(scratch))
        for server in servers:
            server.seed()
        version = subprocess.run([sys.argv[1], "--version"], stdout=subprocess.PIPE, text=True).stdout.split()[-1]
        print(f"{time.strftime('%Y-%m-%d')}, PocketBase {version}, {os.cpu_count()} cores, {CONNECTIONS} connections, "
              f"{ROUNDS} slices of {SECONDS:g} s each")
        print("{:22} {:11} {:>11} {:>12} {:>12}  {:>6} {:>6}".format("", "", "rate", "p99", "CPU each", "x rate", "x CPU"))
        for operation in OPERATIONS:
            if not ONLY or operation in ONLY:
                compare(operation, [server for server in servers if operation in server.plans])
    finally:  # only what was started here
        for server in servers:
            server.stop()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()

"""server.py - shared by the servers of `make bench-peers`: starting, requests, a slice of wrk."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field

SECONDS = float(os.environ.get("BENCH_SECONDS", 2))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", 5))
THREADS = 2
PASSWORD = "correct horse"
# The files exceed the gateway's cache (8 MiB), so each read is a first one.
SMALL, SMALL_FILES, LARGE, LARGE_FILES = 10240, 1200, 1048576, 24
DOCUMENTS = 100  # in the list
# Each image gets a new size: RESIZES pairs per slice.
SIZES = [f"{width}x200" for width in range(300, 350)]
RESIZES = int(300 * SECONDS)
IMAGES = RESIZES * ROUNDS // len(SIZES) + 1
TOKENS = 64  # refresh tokens per slice: twice as many as connections


@dataclass
class Plan:
    """wrk's plan for an operation.

    fresh: (environment variable that names a file, its lines, lines per slice).
    """

    path: str = ""
    arguments: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)
    fresh: tuple = None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def request(url, body=None, token=None, content_type="application/json", cookie=None):
    headers = {"Content-Type": content_type} if body is not None else {}
    if token:
        headers["Authorization"] = token
    if cookie:
        headers["Cookie"] = cookie
    data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, data, headers), timeout=60
        ) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        sys.exit(f"bench-peers: {url}: {error.code} {error.read().decode(errors='replace')[:500]}")
    return json.loads(text) if text else None


def form(fields, name, data, content_type="application/octet-stream"):
    """Returns the body and content type of a multipart form with a file after the fields."""
    parts = b"".join(
        b'--bench\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
        % (k.encode(), v.encode())
        for k, v in fields.items()
    )
    parts += (
        b'--bench\r\nContent-Disposition: form-data; name="%s"; filename="a.%s"\r\n'
        b"Content-Type: %s\r\n\r\n%s\r\n"
        b"--bench--\r\n"
    ) % (
        name.encode(),
        b"jpg" if content_type == "image/jpeg" else b"bin",
        content_type.encode(),
        data,
    )
    return parts, "multipart/form-data; boundary=bench"


def cpu_by_program(roots):
    """Returns the microseconds of the processes below and including roots, and of their ended children,
    by program name."""
    children, used = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as f:
                name, _, rest = f.read().partition("(")[2].rpartition(") ")
        except OSError:
            continue
        fields = rest.split()
        children.setdefault(int(fields[1]), []).append(int(entry))
        used[int(entry)] = name, sum(map(int, fields[11:15]))
    totals, waiting = {}, list(roots)
    while waiting:
        pid = waiting.pop()
        name, ticks = used.get(pid, ("", 0))
        totals[name] = totals.get(name, 0) + ticks * 1_000_000 // os.sysconf("SC_CLK_TCK")
        waiting += children.get(pid, [])
    return totals


def settle(roots):
    """Waits up to 10 s until a server is idle, so that the next one is measured alone."""
    used = sum(cpu_by_program(roots).values())
    for _ in range(100):
        time.sleep(0.1)
        before, used = used, sum(cpu_by_program(roots).values())
        if used - before <= 10000:
            return


class Server:
    """A server that runs below self.process, with its database below self.database.process.

    lacks: why it has no plan for some operations. password_hash: its sign-in's algorithm.
    connections: maximum; more would only wait, and use its CPU time after the slice.
    """

    lacks = password_hash = None
    connections = 1000
    process = database = None

    def __init__(self, scratch):
        self.scratch, self.dir, self.plans = scratch, f"{scratch}/{self.name}", {}
        os.mkdir(self.dir)

    def start(self, command, ready, **options):
        log = open(f"{self.dir}.log", "w")
        self.process = subprocess.Popen(command, stdout=log, stderr=log, **options)
        for _ in range(600):
            if ready():
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        log.close()
        sys.exit(f"bench-peers: {self.name} did not start:\n" + open(log.name).read()[-2000:])

    def answers(self, path):
        try:
            urllib.request.urlopen(self.base + path, timeout=5).close()
            return True
        except OSError as error:
            return hasattr(error, "code")

    def stop(self):
        if not self.process:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def lines_file(self, name, lines):
        file = f"{self.dir}.{name}"
        with open(file, "w") as f:
            f.write("".join(f"{line}\n" for line in lines))
        return file

    def read(self, name, paths, token=None):
        """Returns the plan that reads the paths in turn."""
        return Plan(
            "",
            ["-s", "tests/bench/each.lua", *heads(token)],
            {"BENCH_PATHS": self.lines_file(name, paths)},
        )

    def resize(self, paths, token=None):
        """Returns the plan that requests each of the paths once."""
        return Plan(
            "", ["-s", "tests/bench/each.lua", *heads(token)], fresh=("BENCH_PATHS", paths, RESIZES)
        )

    def measure(self, operation, connections):
        """Runs one slice; returns None when nothing was done in its time."""
        plan = self.plans[operation]
        environment = {**os.environ, "BENCH_THREADS": str(THREADS), **plan.environment}
        if plan.fresh:
            variable, lines, count = plan.fresh
            environment[variable] = self.lines_file("fresh", lines[:count])
            del lines[:count]
        roots = [server.process.pid for server in (self, self.database) if server]
        before = cpu_by_program(roots)
        text = subprocess.run(
            [
                "wrk",
                f"-t{THREADS}",
                f"-c{min(connections, self.connections)}",
                f"-d{SECONDS:.0f}s",
                "--timeout",
                "10s",
                "--latency",
                *plan.arguments,
                self.base + plan.path,
            ],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env=environment,
        ).stdout
        used = {name: us - before.get(name, 0) for name, us in cpu_by_program(roots).items()}
        settle(roots)
        requests = int(re.search(r"(\d+) requests in", text).group(1))
        bad = sum(map(int, re.findall(r"Non-2xx.*: (\d+)", text)))
        done = re.search(r"^operations (\d+)", text, re.M)
        done = int(done.group(1)) if done else requests - bad
        if done <= 0:
            return None
        if plan.fresh and plan.fresh[0] == "BENCH_PATHS" and requests > count:
            sys.exit(
                f"bench-peers: {self.name}: {requests} requests for {count} paths: {operation}"
            )
        rate = float(re.search(r"Requests/sec:\s*([\d.]+)", text).group(1)) * done / requests
        value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s|m)\s", text).groups()
        return {
            "rate": rate,
            "cpu": sum(used.values()) / done,
            "programs": {name: us / done for name, us in used.items()},
            "bad": bad,
            "p99": float(value) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}[unit],
        }


def heads(token):
    return ["-H", f"Authorization: {token}"] if token else []


def post(path, body, content_type="application/json", token=None):
    """Returns the plan that sends one body each time."""
    return Plan(
        path,
        ["-s", "tests/bench/post.lua", *heads(token)],
        {"BENCH_BODY": body, "BENCH_TYPE": content_type},
    )


def refresh(
    tokens,
    path="/auth/refresh-token",
    body='{"refresh_token":"%s"}',
    content_type="application/json",
):
    """Returns the plan that refreshes: %s is the token, the response's refresh_token the next one."""
    return Plan(
        "",
        ["-s", "tests/bench/refresh.lua"],
        {"BENCH_PATH": path, "BENCH_BODY": body, "BENCH_TYPE": content_type},
        ("BENCH_TOKENS", tokens, TOKENS),
    )

#!/usr/bin/env python3
"""curves.py - `make bench-curves`: the cost of a request as the work around it grows.

Each part measures the points of its curves and prints a Markdown table for each. A shared machine's
speed changes by the minute, so slices of CURVES_SECONDS (2) of all points alternate, CURVES_ROUNDS
(5) times. CPU time per request includes all processes of a suite, its proxy and its PostgreSQL;
"times the first" is the median ratio of neighboring slices. wal is PostgreSQL's write-ahead log per
request.

CURVES_ONLY="connections tls" selects parts, CURVES_ACCOUNTS="10000 100000" sets the accounts of that
part's suites. Exits with 2 when a request failed, and with 1 when a refresh of the largest suite
takes more than CURVES_LIMIT (1.3) times the CPU time or median time of the smallest suite's.
"""
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests/peers")
from server import PASSWORD, THREADS, Server, cpu_by_program, free_port, request

BUILD = os.environ.get("BUILD", "build")
SECONDS = int(os.environ.get("CURVES_SECONDS", 2))
ROUNDS = int(os.environ.get("CURVES_ROUNDS", 5))
ONLY = os.environ.get("CURVES_ONLY", "").split()
ACCOUNTS = [int(n) for n in os.environ.get("CURVES_ACCOUNTS", "10000 100000 1000000").split()]
LIMIT = float(os.environ.get("CURVES_LIMIT", 1.3))
CONNECTIONS = 32
ACCOUNTS_OF_A_TENANT = 1000
PEOPLE = 1000  # tokens at the start of a slice of refreshes
SAMPLE = 2 * PEOPLE * ROUNDS
BUS_CALLS = 50000
UNITS = {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}


def fail(text):
    print(f"curves: {text}", file=sys.stderr)
    sys.exit(2)


class Suite(Server):
    """A suite with its own PostgreSQL; people: number of seeded accounts."""

    def __init__(self, scratch, name, gateways=1, authds=1, people=0):
        self.scratch, self.name, self.dir = scratch, name, f"{scratch}/{name}"
        log = f"{self.dir}.log"
        ready = lambda: re.search(r"^atrium: ready (\S+)", open(log).read(), re.M)
        several = ["--instances", f"gateway={gateways},authd={authds}"]
        several += ["--set", "gateway.connections_per_client=2000"]  # wrk is one client
        self.start(
            [f"{BUILD}/bin/atriumctl", "dev", "--dir", self.dir, "--port", "0", *several], ready
        )
        self.base = ready().group(1)
        info = open(f"{self.dir}/dev.json").read()
        self.text = lambda member: re.search(rf'"{member}": *"([^"]*)"', info).group(1)
        self.people = self.seed(people) if people else []
        self.reader = self.register("reader")

    def sql(self, text):
        return subprocess.run(
            ["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-d", self.text("conninfo")],
            input=text,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.strip()

    def seed(self, people):
        """A sample of the accounts: (address, refresh token) of each."""
        sample = min(people, SAMPLE)
        rows = subprocess.run(
            [
                f"{BUILD}/tests/bench/seed",
                self.text("conninfo"),
                f"{self.dir}/keys/authd.key",
                str(max(1, people // ACCOUNTS_OF_A_TENANT)),
                str(people),
                str(sample),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
            text=True,
        ).stdout.splitlines()
        return [(row.split("\t")[2], row.split("\t")[3]) for row in rows]

    def register(self, name):
        person = {
            "email": f"{name}@patients.example",
            "password": PASSWORD,
            "name": "Ben",
            "surname": "Bench",
            "tenantCode": "demo",
        }
        return request(f"{self.base}/auth/tenant/Patient/register", person)["accessToken"]


class Proxy(Server):
    """A TLS proxy in front of a gateway."""

    def __init__(self, scratch, name, port, command, environment):
        self.scratch, self.name, self.dir = scratch, name, f"{scratch}/{name}"
        self.base = f"https://127.0.0.1:{port}"
        connects = ["curl", "-sk", "-o", "/dev/null", f"{self.base}/"]
        self.start(
            command,
            lambda: subprocess.run(connects).returncode == 0,
            env={**os.environ, **environment},
        )


class Point:
    """A point of a curve: wrk's requests and the suite that gets them."""

    def __init__(self, label, suite, connections=CONNECTIONS, proxy=None, arguments=None):
        self.label, self.suite, self.connections, self.proxy = label, suite, connections, proxy
        self.arguments = arguments or ["-H", f"Authorization: Bearer {suite.reader}"]
        self.path, self.environment, self.before = "/auth/me", {}, lambda: None
        self.slices = []

    def cpu(self):
        """CPU time of the suite with its proxy, and of PostgreSQL."""
        proxies = [self.proxy.process.pid] if self.proxy else []
        used = cpu_by_program([self.suite.process.pid, *proxies])
        postgres = used.get("postgres", 0)
        return sum(used.values()) - postgres, postgres

    def wal(self):
        return int(self.suite.sql("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn"))

    def measure(self):
        self.before()
        wal, cpu = self.wal(), self.cpu()
        text = subprocess.run(
            ["wrk", f"-t{THREADS}", f"-c{self.connections}", f"-d{SECONDS}s", "--timeout", "10s"]
            + ["--latency", *self.arguments, (self.proxy or self.suite).base + self.path],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env={**os.environ, "BENCH_THREADS": str(THREADS), **self.environment},
        ).stdout
        used = [after - before for before, after in zip(cpu, self.cpu())]
        requests = int(re.search(r"(\d+) requests in", text).group(1))
        done = re.search(r"^operations (\d+)", text, re.M)
        done = int(done.group(1)) if done else requests
        if requests == 0 or "Non-2xx" in text or "Socket errors" in text or done < requests:
            fail(f"{self.label}: not every request was answered well:\n{text}")
        quantile = lambda percent: re.search(rf"{percent}%\s+([\d.]+)(us|ms|s|m)\s", text).groups()
        milliseconds = lambda value, unit: float(value) * UNITS[unit]
        self.slices.append(
            {
                "rate": float(re.search(r"Requests/sec:\s*([\d.]+)", text).group(1)),
                "p50": milliseconds(*quantile(50)),
                "p99": milliseconds(*quantile(99)),
                "ours": used[0] / done,
                "postgres": used[1] / done,
                "cpu": sum(used) / done,
                "wal": (self.wal() - wal) / done,
            }
        )

    def middle(self, key):
        return statistics.median(each[key] for each in self.slices)

    def times(self, first, key):
        return statistics.median(a[key] / b[key] for a, b in zip(self.slices, first.slices))


class Renewal(Point):
    """Refreshes right after a checkpoint.

    Each slice has other people of the suite's sample. The first change of a page after a
    checkpoint writes the whole page to the write-ahead log: `again` changes each page before.
    """

    def __init__(self, label, suite, again=True):
        super().__init__(label, suite, arguments=["-s", "tests/bench/refresh.lua"])
        self.path, self.again, self.before = "", again, self.prepare
        self.environment = {
            "BENCH_TOKENS": f"{suite.dir}.tokens",
            "BENCH_PATH": "/auth/refresh-token",
            "BENCH_BODY": '{"refresh_token":"%s"}',
            "BENCH_TYPE": "application/json",
        }

    def prepare(self):
        people = [self.suite.people.pop() for _ in range(PEOPLE)]
        with open(f"{self.suite.dir}.tokens", "w") as f:
            f.writelines(f"{token}\n" for _, token in people)
        self.suite.sql("checkpoint")
        if self.again:
            emails = ", ".join(f"'{email}'" for email, _ in people)
            self.suite.sql(
                f"""update auth.session s set last_updated = s.last_updated from auth.account a
                    where a.email in ({emails}) and s.account_id = a.id"""
            )


def run(title, points):
    """Runs slices in turn, then prints the table; the bars are the ratios of CPU time."""
    for turn in range(ROUNDS):
        for point in points if turn % 2 == 0 else points[::-1]:
            point.measure()
    print(
        f"\n| {title} | CPU, ours | PostgreSQL's | times the first | p50 | times | p99 "
        "| a second | wal | |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for point in points:
        ratio = point.times(points[0], "cpu")
        print(
            f"| {point.label} | {point.middle('ours'):.0f} us | {point.middle('postgres'):.0f} us "
            f"| {ratio:.2f} | {point.middle('p50'):.1f} ms | {point.times(points[0], 'p50'):.2f} "
            f"| {point.middle('p99'):.0f} ms | {point.middle('rate'):,.0f} "
            f"| {point.middle('wal'):,.0f} B | {'▇' * round(5 * ratio)} |",
            flush=True,
        )


class Bench:
    """The suites that parts share, each started on first use."""

    def __init__(self, scratch):
        self.scratch, self.servers, self.suites, self.is_over = scratch, [], {}, False

    def suite(self, name, **options):
        if name not in self.suites:
            self.suites[name] = Suite(self.scratch, name, **options)
            self.servers.append(self.suites[name])
        return self.suites[name]

    def one(self):
        return self.suite("one", people=SAMPLE)

    def stop(self):
        for server in reversed(self.servers):
            server.stop()


def instances(bench):
    suites = {1: bench.one()}
    for count in (2, 4):
        suites[count] = bench.suite(f"{count}-each", gateways=count, authds=count, people=SAMPLE)
    for title, connections in (
        ("gateways and authds: `GET /auth/me`", lambda count: CONNECTIONS),
        ("the same, 32 connections for each gateway", lambda count: CONNECTIONS * count),
    ):
        points = [Point(f"{n} and {n}", suite, connections(n)) for n, suite in suites.items()]
        run(title, points)
    run(
        "gateways and authds: renewal",
        [Renewal(f"{n} and {n}", suite) for n, suite in suites.items()],
    )


def connections(bench):
    # a gateway has at most 512 requests in flight with one authd, and returns 503 for more
    suite = bench.suite("connections", authds=2)
    points = [Point(f"{n:,}", suite, n) for n in (10, 100, 1000)]
    run("connections to one gateway: `GET /auth/me`", points)


def sessions(bench):
    suite, points = bench.one(), []
    for count in (1, 10, 20, 100):
        token = suite.register(f"sessions-{count}")
        suite.sql(
            f"""begin; create temporary table copied on commit drop as
                select s.* from auth.session s join auth.account a on a.id = s.account_id,
                generate_series(2, {count}) where a.email = 'sessions-{count}@patients.example';
            update copied set id = gen_random_uuid();
            insert into auth.session select * from copied; commit;"""
        )
        listed = request(f"{suite.base}/auth/session", token=f"Bearer {token}")["sessions"]
        if len(listed) != count:
            fail(f"an account has {len(listed)} sessions instead of {count}")
        points.append(
            Point(f"{count}", suite, arguments=["-H", f"Authorization: Bearer {token}"])
        )
    suite.sql("vacuum (analyze) auth.session")
    run("sessions of the account: `GET /auth/me`", points)


def accounts(bench):
    suites = {n: bench.suite(f"accounts-{n}", people=n) for n in ACCOUNTS}
    points = [Renewal(f"{n:,}", suite) for n, suite in suites.items()]
    run("accounts: renewal", points)
    for key in ("cpu", "p50"):
        if points[-1].times(points[0], key) > LIMIT:
            print(f"curves: FAILED: renewal of {points[-1].label} accounts: {key}", file=sys.stderr)
            bench.is_over = True
    run(
        "accounts: renewal, the first of its page since a checkpoint",
        [Renewal(f"{n:,}", suite, again=False) for n, suite in suites.items()],
    )
    run("accounts: `GET /auth/me`", [Point(f"{n:,}", suite) for n, suite in suites.items()])


def bus(bench):
    rows = {"ipc": [], "curve": []}
    for turn in range(ROUNDS):
        for transport in rows if turn % 2 == 0 else reversed(rows):
            done = subprocess.run(
                [f"{BUILD}/tests/bench/bus_bench", str(BUS_CALLS), "32", "1", transport],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            pattern = r" 0 failed: (\d+) calls/s.*caller ([\d.]+) us, instance ([\d.]+) us"
            found = re.search(pattern, done.stdout)
            if done.returncode != 0 or not found:
                fail(f"bus_bench {transport}: {done.stdout}{done.stderr}")
            rows[transport].append([float(number) for number in found.groups()])
    print("\n| one call of the bus | CPU, caller's | callee's | times the first | a second | |")
    print("|---|---|---|---|---|---|")
    for label, transport in (("sockets of one host", "ipc"), ("TCP with CURVE", "curve")):
        rate, caller, instance = (statistics.median(column) for column in zip(*rows[transport]))
        ratio = statistics.median(
            sum(a[1:]) / sum(b[1:]) for a, b in zip(rows[transport], rows["ipc"])
        )
        print(
            f"| {label} | {caller:.1f} us | {instance:.1f} us | {ratio:.2f} | {rate:,.0f} "
            f"| {'▇' * round(5 * ratio)} |",
            flush=True,
        )


def make_proxies(bench, gateway):
    scratch = bench.scratch
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        + ["-nodes", "-days", "1", "-subj", "/CN=localhost"]
        + ["-keyout", f"{scratch}/key.pem", "-out", f"{scratch}/certificate.pem"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    with open(f"{scratch}/atrium.pem", "w") as f:
        f.write(open(f"{scratch}/certificate.pem").read() + open(f"{scratch}/key.pem").read())
    port = free_port()
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    with open(f"{scratch}/nginx.conf", "w") as f:
        f.write(
            f"worker_processes {THREADS}; daemon off; pid {scratch}/nginx.pid;\n"
            "error_log stderr crit; events { worker_connections 1024; }\n"
            "http { access_log off; keepalive_requests 1000000000;\n"
            + "".join(f"{kind}_temp_path {scratch}/nginx-{kind}; " for kind in kinds)
            + f"upstream atrium {{ server {gateway}; keepalive 64; }}\n"
            f"server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {scratch}/certificate.pem;\n"
            f"ssl_certificate_key {scratch}/key.pem; location / {{ proxy_pass http://atrium;\n"
            'proxy_http_version 1.1; proxy_set_header Connection ""; '
            "proxy_set_header Host $http_host;\n"
            "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; } } }\n"
        )
    command = ["/usr/sbin/nginx", "-c", f"{scratch}/nginx.conf", "-p", scratch]
    nginx = Proxy(scratch, "nginx", port, command, {})
    bench.servers.append(nginx)
    port = free_port()
    haproxy = Proxy(
        scratch,
        "haproxy",
        port,
        ["/usr/sbin/haproxy", "-db", "-f", "deploy/haproxy.cfg"],
        {
            "ATRIUM_LISTEN": f"127.0.0.1:{port}",
            "ATRIUM_CERTIFICATE": f"{scratch}/atrium.pem",
            "ATRIUM_GATEWAY_A": gateway,
            "ATRIUM_GATEWAY_B": gateway,
        },
    )
    bench.servers.append(haproxy)
    return nginx, haproxy


def tls(bench):
    suite = bench.one()
    nginx, haproxy = make_proxies(bench, suite.base.removeprefix("http://"))
    kinds = (("plain HTTP", None), ("TLS by nginx", nginx), ("TLS by HAProxy", haproxy))
    run("in front: `GET /auth/me`", [Point(label, suite, proxy=proxy) for label, proxy in kinds])
    closing = ["-H", f"Authorization: Bearer {suite.reader}", "-H", "Connection: close"]
    run(
        "the same, a new connection for each request",
        [Point(label, suite, proxy=proxy, arguments=closing) for label, proxy in kinds],
    )


PARTS = {part.__name__: part for part in (instances, connections, sessions, accounts, bus, tls)}


def main():
    unknown = set(ONLY) - set(PARTS)
    if unknown:
        fail(f"no such part: {' '.join(unknown)}; there are {' '.join(PARTS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="atrium-curves-") as scratch:
        os.chmod(scratch, 0o755)  # PostgreSQL and the workers of nginx run as other users
        bench = Bench(scratch)
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        print(
            f"{time.strftime('%Y-%m-%d')}: {os.cpu_count()} cores, {memory:.0f} GiB of memory, "
            f"{CONNECTIONS} connections, {ROUNDS} slices of {SECONDS} s for each point"
        )
        try:
            for name, part in PARTS.items():
                if not ONLY or name in ONLY:
                    part(bench)
        finally:  # only processes started here
            bench.stop()
    return 1 if bench.is_over else 0


if __name__ == "__main__":
    sys.exit(main())

"""nginx.py - Debian's nginx for `make bench-peers`: the minimum cost of reading a file."""
import os
import subprocess

from server import LARGE, LARGE_FILES, SMALL, SMALL_FILES, THREADS, Server, free_port


class Nginx(Server):
    name = "nginx"
    lacks = "serves files only, to anyone"

    def __init__(self, scratch):
        super().__init__(scratch)
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        with open(f"{self.dir}/nginx.conf", "w") as f:
            f.write(
                f"worker_processes {THREADS}; daemon off; "
                f"pid {self.dir}/nginx.pid; error_log stderr crit;\n"
                "events { worker_connections 1024; }\n"
                "http { access_log off; sendfile on; tcp_nopush on; "
                "keepalive_requests 1000000000;\n"
                + "".join(
                    f"{kind}_temp_path {self.dir}/{kind}; "
                    for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
                )
                + f"server {{ listen 127.0.0.1:{port}; root {self.dir}/www; }} }}\n"
            )
        self.start(
            ["/usr/sbin/nginx", "-c", f"{self.dir}/nginx.conf", "-p", self.dir],
            lambda: self.answers("/"),
        )

    def version(self):
        text = subprocess.run(
            ["/usr/sbin/nginx", "-v"], stderr=subprocess.PIPE, text=True, check=True
        ).stderr
        return "nginx " + text.split("/")[-1].strip()

    def seed(self, image):
        os.mkdir(f"{self.dir}/www")
        for name, size, count in (("10k", SMALL, SMALL_FILES), ("1m", LARGE, LARGE_FILES)):
            paths = [f"/{name}-{i}" for i in range(count)]
            for path in paths:
                with open(f"{self.dir}/www{path}", "wb") as f:
                    f.write(os.urandom(size))
            self.plans[name] = self.read(name, paths)

"""An HTTP server that acts as bots: the path selects the response. Prints its port.

/echo      the request, with its signature and time
/same      the same bytes               /marked  the same after a byte order mark
/empty/STATUS  nothing, with that status /blank   200 with spaces only
/fail      500 with a message        /silent   500 without one
/text      200, not JSON             /large    more than 1 MiB
/slow      never within the timeout  /cut      half a response
/redirect  to /echo; /redirect/STATUS/URL to that URL, with that status
"""
import http.server
import json
import socket
import time


class Bot(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path == "/echo":
            said = {"got": json.loads(body), "raw": body.decode(), "signature": self.headers["X-Atrium-Signature"]}
            self.answer(200, json.dumps(said).encode())
        elif self.path == "/same":
            self.answer(200, body)
        elif self.path == "/marked":
            self.answer(200, b"\xef\xbb\xbf" + body)
        elif self.path.startswith("/empty/"):
            self.answer(int(self.path.split("/")[2]), b"")
        elif self.path == "/blank":
            self.answer(200, b" \r\n")
        elif self.path == "/fail":
            self.answer(500, b'{"message": "the form is closed"}')
        elif self.path == "/silent":
            self.answer(500, b"")
        elif self.path == "/text":
            self.answer(200, b"fine")
        elif self.path == "/large":
            self.answer(200, b'"' + b"x" * (1 << 20) + b'"')
        elif self.path == "/slow":
            time.sleep(20)
        elif self.path == "/redirect":
            self.answer(302, b"{}", [("Location", "/echo")])
        elif self.path.startswith("/redirect/"):
            _, _, status, url = self.path.split("/", 3)
            self.answer(int(status), b"{}", [("Location", url)])
        elif self.path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b'{"half":')
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *arguments):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bot)
    server.daemon_threads = True
    print("port", server.server_address[1], flush=True)
    server.serve_forever()


main()

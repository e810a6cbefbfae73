#!/usr/bin/python3
"""A mail server for tests: a real SMTP server with STARTTLS and AUTH that writes what it receives into files.

    smtp_server.py --dir DIR [--port N] [--tls CERT KEY] [--require-tls] [--auth USER PASSWORD]
                   [--fail CODE:COUNT[:STAGE]]... [--hold SECONDS:COUNT]

Listens on 127.0.0.1, on a free port without --port, prints "port N" on stdout and serves until stdin is closed or a signal comes.
Each accepted message becomes DIR/NNNN.eml, as it was received, with the envelope in front as X-Envelope-From,
X-Envelope-To and X-Envelope-TLS.  --fail answers the first COUNT commands of a stage (RCPT, or DATA by default)
with CODE: 451 for "not now", 550 for "never".  --hold writes the first COUNT messages but says 250 only SECONDS later:
whoever hangs up meanwhile does not learn that they were taken.
"""
import argparse
import asyncio
import logging
import os
import signal
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    def __init__(self, options):
        self.directory = options.dir
        self.count = 0
        seconds, count = options.hold.split(":")
        self.hold_seconds, self.hold_count = float(seconds), int(count)
        self.failures = []
        for text in options.fail:
            code, count, *stage = text.split(":")
            self.failures.append([stage[0] if stage else "DATA", code, int(count)])

    def failure(self, stage, recipients):
        """Returns a response other than success, or None. It names the recipients, as servers do."""
        for failure in self.failures:
            if failure[0] == stage and failure[2] > 0:
                failure[2] -= 1
                return "%s told to fail for <%s>" % (failure[1], ">,<".join(recipients))
        return None

    async def handle_RCPT(self, server, session, envelope, address, options):
        failure = self.failure("RCPT", [address])
        if failure:
            return failure
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        failure = self.failure("DATA", envelope.rcpt_tos)
        if failure:
            return failure
        self.count += 1
        path = os.path.join(self.directory, "%04d.eml" % self.count)
        head = "X-Envelope-From: %s\r\nX-Envelope-To: %s\r\nX-Envelope-TLS: %s\r\n" % (
            envelope.mail_from, ",".join(envelope.rcpt_tos), "yes" if session.ssl else "no")
        with open(path + ".tmp", "wb") as file:
            file.write(head.encode() + envelope.original_content)
        os.rename(path + ".tmp", path)
        if self.hold_count > 0:
            self.hold_count -= 1
            await asyncio.sleep(self.hold_seconds)
        return "250 OK"


def authenticator(user, password):
    def check(server, session, envelope, mechanism, data):
        good = (data.login, data.password) == (user.encode(), password.encode())
        return AuthResult(success=good, handled=good)  # the library sends the refusal
    return check


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--hold", default="0:0", metavar="SECONDS:COUNT")
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    parser.add_argument("--require-tls", action="store_true")
    parser.add_argument("--auth", nargs=2, metavar=("USER", "PASSWORD"))
    parser.add_argument("--fail", action="append", default=[])
    return parser.parse_args()


async def serve(options):
    settings = {"hostname": "mail.test", "enable_SMTPUTF8": True, "loop": asyncio.get_running_loop()}
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls)
        settings.update(tls_context=context, require_starttls=options.require_tls)
    if options.auth:
        settings.update(authenticator=authenticator(*options.auth), auth_required=True,
                        auth_require_tls=options.tls is not None)
    handler = Handler(options)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(handler, **settings), "127.0.0.1",
                                      options.port)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    over = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, over.set)
    loop.add_signal_handler(signal.SIGINT, over.set)
    loop.add_reader(sys.stdin.fileno(), lambda: os.read(sys.stdin.fileno(), 1024) or over.set())
    await over.wait()
    server.close()


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(serve(arguments()))

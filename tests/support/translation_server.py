"""An HTTP server that acts as LibreTranslate and OpenAI's chat completions, as documented. It translates by converting to
upper case. Prints its port.

POST /mode/NAME selects the responses; GET /asked returns the number of translations since then, and the last request.

ok                                 error    500 that repeats the texts    limit    429 with Retry-After: 7
limit-silent  429 without          busy     503 with Retry-After: 9       slow     no response for 20 s
cut           half a response      redirect 302 to another path           large    4 MiB
count         one text too few     count-once  only in the next response  words    prose around the JSON
not-texts     numbers for texts    empty    "" for each text              broken   unclosed markup in each text
drop          no marks             invent   additional markup             no-schema  400 to response_format
length        cut by the model     limit-later  429 from the second request on
key           401 that repeats the key
one           more than one text at a time is refused                     no-list    500 to the list of languages, no models
other-model   the list of models lacks the configured one
"""
import html.parser
import http.server
import json
import re
import socket
import sys
import threading
import time

KEY = sys.argv[1] if len(sys.argv) > 1 else ""
LANGUAGES = [
    {"code": "en", "name": "English", "targets": ["ar", "en", "es", "he", "zh-Hans", "zh-Hant"]},
    {"code": "es", "name": "Spanish", "targets": ["en", "es"]},
    {"code": "tlh", "name": "Klingon", "targets": ["en"]},
    {"code": "zh-Hans", "name": "Chinese", "targets": ["en"]},
]
state = {"mode": "ok", "asked": 0, "last": None}
lock = threading.Lock()


class Upper(html.parser.HTMLParser):
    """Translates HTML as translators do: parses, translates the text nodes, and writes everything in its own way."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.out = []

    def handle_starttag(self, tag, attrs):
        self.out.append("<%s>" % tag)

    def handle_startendtag(self, tag, attrs):
        self.out.append("<%s></%s>" % (tag, tag))

    def handle_endtag(self, tag):
        self.out.append("</%s>" % tag)

    def handle_data(self, data):
        data = data.upper().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.out.append(data)


def upper(text):
    parser = Upper()
    parser.feed(text)
    parser.close()
    return "".join(parser.out)


def distort(texts, mode):
    if mode in ("count", "count-once"):
        return texts[:-1]
    if mode == "not-texts":
        return list(range(len(texts)))
    if mode == "empty":
        return ["" for _ in texts]
    if mode == "broken":
        return [text + " <x0" for text in texts]
    if mode == "drop":
        return [re.sub(r"</?x\d+/?>", "", text) for text in texts]
    if mode == "invent":
        return [text + " <x7/> &lt;script&gt; {{secret}}" for text in texts]
    return texts


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, headers=()):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/asked":
            self.answer(200, state)
        elif self.path == "/libre/languages":
            time.sleep(0.05)
            if state["mode"] == "no-list":
                self.answer(500, {"error": "no"})
            else:
                self.answer(200, LANGUAGES)
        elif self.path == "/v1/models" and state["mode"] == "key":
            self.answer(401, {"error": {"message": "Incorrect API key provided: %s" % KEY}})
        elif self.path == "/v1/models" and state["mode"] in ("error", "busy"):
            self.answer(503, {"error": "busy"})
        elif self.path == "/v1/models" and state["mode"] != "no-list":
            name = "another" if state["mode"] == "other-model" else "model-1"
            self.answer(200, {"object": "list", "data": [{"id": "model-0"}, {"id": name}]})
        else:
            self.answer(404, {"error": "Not found"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path.startswith("/mode/"):
            state.update(mode=self.path[6:], asked=0, last=None)
            self.answer(200, {})
            return
        with lock:
            state["asked"] += 1
            state["last"] = {"path": self.path, "type": self.headers["Content-Type"],
                             "authorization": self.headers["Authorization"], "agent": self.headers["User-Agent"]}
            first = state["asked"] == 1
        given = json.loads(body)
        if self.path == "/libre/translate":
            self.libre(given, first)
        elif self.path == "/v1/chat/completions":
            self.openai(given, first)
        else:
            self.answer(404, {"error": "Not found"})

    def misbehave(self, texts, first):
        """True when that was the response."""
        mode = state["mode"]
        if mode == "error":
            self.answer(500, {"error": "cannot translate: %s" % " ".join(texts)})
        elif mode == "limit" or (mode == "limit-later" and not first):
            self.answer(429, {"error": "Slowdown: 30 per 1 minute"}, [("Retry-After", "7")])
        elif mode == "limit-silent":
            self.answer(429, {"error": "Slowdown"})
        elif mode == "busy":
            self.answer(503, {"error": "busy"}, [("Retry-After", "9")])
        elif mode == "key":
            self.answer(401, {"error": {"message": "Incorrect API key provided: %s" % KEY}})
        elif mode == "slow":
            time.sleep(20)
        elif mode == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"translatedText": ["')
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif mode == "redirect":
            self.answer(302, {}, [("Location", "/mode/ok")])
        elif mode == "large":
            self.answer(200, b'"' + b"x" * (4 << 20) + b'"')
        elif mode == "one" and len(texts) > 1:
            self.answer(400, {"error": "Invalid request: request (%d) exceeds text limit (1)" % len(texts)})
        else:
            return False
        return True

    def libre(self, given, first):
        state["last"].update(format=given.get("format"), source=given.get("source"), target=given.get("target"))
        if set(given) - {"q", "source", "target", "format", "api_key", "alternatives"}:
            self.answer(400, {"error": "Invalid request"})
            return
        if KEY and given.get("api_key") != KEY:
            self.answer(403, {"error": "Invalid API key"})
            return
        known = {language["code"]: language["targets"] for language in LANGUAGES}
        if given["target"] not in known.get(given["source"], []):
            self.answer(400, {"error": "%s is not supported" % given["target"]})
            return
        texts = given["q"]
        if self.misbehave(texts, first):
            return
        mode = state["mode"]
        done = distort([upper(text) for text in texts], mode if mode != "count-once" or first else "ok")
        said = json.dumps({"translatedText": done}).encode()
        self.answer(200, b"Here it is: " + said if mode == "words" else said)

    def openai(self, given, first):
        form = given.get("response_format")
        state["last"].update(model=given["model"], schema=form is not None)
        if KEY and self.headers["Authorization"] != "Bearer " + KEY:
            self.answer(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
            return
        roles = [message["role"] for message in given["messages"]]
        if roles != ["system", "user"] or set(given) - {"model", "messages", "response_format"}:
            self.answer(400, {"error": {"message": "unsupported"}})
            return
        if form is not None:
            schema = form["json_schema"]
            strict = schema["schema"]
            if (form["type"] != "json_schema" or schema["strict"] is not True
                    or not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", schema["name"])
                    or strict["additionalProperties"] is not False
                    or sorted(strict["required"]) != sorted(strict["properties"])):
                self.answer(400, {"error": {"message": "Invalid schema for response_format"}})
                return
        mode = state["mode"]
        if mode == "no-schema" and form is not None:
            self.answer(400, {"error": {"message": "response_format is not supported"}})
            return
        texts = json.loads(given["messages"][1]["content"])["texts"]
        if self.misbehave(texts, first):
            return
        done = distort([upper(text) for text in texts], mode if mode != "count-once" or first else "ok")
        said = json.dumps({"texts": done}, ensure_ascii=first)
        if mode == "words":
            said = "Here is your translation:\n```json\n%s\n```" % said
        if mode == "length":
            said = said[:-5]
        self.answer(200, {"id": "chatcmpl-1", "object": "chat.completion", "model": given["model"],
                          "choices": [{"index": 0, "finish_reason": "length" if mode == "length" else "stop",
                                       "message": {"role": "assistant", "content": said, "refusal": None}}],
                          "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})

    def handle(self):
        try:
            super().handle()
        except OSError:  # the client disconnected
            pass

    def log_message(self, *arguments):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    print("port", server.server_address[1], flush=True)
    server.serve_forever()


main()

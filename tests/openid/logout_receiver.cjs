// logout_receiver.cjs DIR [PORT] - receives logout tokens for tests/http/test_backchannel_logout.c, and hosts key sets for
// tests/http/test_oauth_tokens.c. DIR has cert.pem and key.pem. POSTs to /NAME are stored and answered by its mode. A plain
// server on the other port takes commands:
//
//     PUT /NAME {mode, body, cache}    ok, fail, hang, gone, redirect; body: response to a GET; cache: its Cache-Control
//     GET /NAME                        what came: {requests, types, tokens}
"use strict";
const fs = require("fs"), http = require("http"), https = require("https");

const [dir, port] = process.argv.slice(2);
const names = new Map();

function named(url) {
  const name = url.split("/")[1];

  if (!names.has(name))
    names.set(name, { mode: "ok", requests: 0, types: [], tokens: [] });
  return names.get(name);
}

function whole(request, then) {
  const parts = [];

  request.on("data", (part) => parts.push(part));
  request.on("end", () => then(Buffer.concat(parts).toString()));
}

const options = { key: fs.readFileSync(`${dir}/key.pem`), cert: fs.readFileSync(`${dir}/cert.pem`) };
const receiver = https.createServer(options, (request, response) => whole(request, (body) => {
  const self = named(request.url), status = { ok: 200, fail: 500, gone: 410, redirect: 307 }[self.mode];

  self.requests++;
  self.types.push(request.headers["content-type"]);
  if (self.mode === "ok" && request.method === "POST")
    self.tokens.push(new URLSearchParams(body).get("logout_token"));
  if (self.cache)
    response.setHeader("cache-control", self.cache);
  if (status)
    response.writeHead(status, self.mode === "redirect" ? { location: "/elsewhere" } : {}).end(self.body);
}));

const commands = http.createServer((request, response) => whole(request, (body) => {
  const self = named(request.url);

  if (request.method === "PUT")
    Object.assign(self, JSON.parse(body));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(self));
}));

receiver.listen(Number(port) || 0, "127.0.0.1", () => commands.listen(0, "127.0.0.1", () =>
  console.log(`ready ${receiver.address().port} ${commands.address().port}`)));

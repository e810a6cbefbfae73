// The receiver of webhooks that tests/http/test_webhook_delivery.c posts to: node receiver.cjs DIR [PORT], where DIR has
// cert.pem and key.pem. Requests to /hook/NAME are verified by npm's standardwebhooks with the secrets of that name, and
// answered as its mode says. A plain server on the next line's port takes commands:
//
//     PUT /NAME {secrets, mode, account}    mode: ok, fail, hang, slow, gone, redirect, large; with an account for it alone
//     GET /NAME                             what came: {requests, events, unverified, disorder, last, bodies, by}
"use strict";
const fs = require("fs"), http = require("http"), https = require("https");
const { Webhook } = require("standardwebhooks");

const [dir, port] = process.argv.slice(2);
const hooks = new Map();

function hook(name) {
  if (!hooks.has(name))
    hooks.set(name, { verifiers: [], mode: "ok", account: null, seen: new Set(), numbers: new Map(), bodies: [],
                      requests: 0, unverified: 0, disorder: 0, last: 0, by: {} });
  return hooks.get(name);
}

function verified(self, body, headers) {
  return self.verifiers.filter(({ webhook }) => {
    try {
      webhook.verify(body, headers);
      return true;
    } catch {
      return false;
    }
  });
}

// The subjects of made-up events end in a number that grows with each event of an account.
function note(self, id, event) {
  const { account, subject } = event.data, number = Number((subject || "").slice(-9));

  if (self.seen.has(id))
    return;
  self.seen.add(id);
  self.last = Date.now();
  self.by[account] = (self.by[account] || 0) + 1;
  if (self.bodies.length < 100)
    self.bodies.push(event);
  if (number <= (self.numbers.get(account) ?? -1))
    self.disorder++;
  self.numbers.set(account, number);
}

function answer(self, mode, id, event, response) {
  const end = (status, headers, body) => { response.writeHead(status, headers); response.end(body); };
  const take = () => { note(self, id, event); end(204); };

  switch (mode) {
    case "ok": return take();
    case "slow": return setTimeout(take, 1000);
    case "fail": return end(500, {}, "secret of the receiver");
    case "gone": return end(410);
    case "redirect": return end(307, { location: "/hook/elsewhere" });
    case "large": return end(200, {}, Buffer.alloc(1 << 20));
    case "hang": return undefined;
  }
}

const options = { key: fs.readFileSync(`${dir}/key.pem`), cert: fs.readFileSync(`${dir}/cert.pem`), keepAlive: true };
const receiver = https.createServer(options, (request, response) => {
  const self = hook(request.url.split("/")[2]), parts = [];

  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const body = Buffer.concat(parts).toString(), by = verified(self, body, request.headers);

    self.requests++;
    if (by.length === 0) {
      self.unverified++;
      response.writeHead(401);
      return response.end();
    }
    by.forEach((verifier) => verifier.count++);
    const event = JSON.parse(body);
    const mode = self.account && self.account !== event.data.account ? "ok" : self.mode;

    answer(self, mode, request.headers["webhook-id"], event, response);
  });
});

const commands = http.createServer((request, response) => {
  const self = hook(request.url.split("/")[1]), parts = [];

  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    if (request.method === "PUT") {
      const { secrets, mode, account } = JSON.parse(Buffer.concat(parts).toString());

      if (secrets)
        self.verifiers = secrets.map((secret) => ({ webhook: new Webhook(secret), count: 0 }));
      self.mode = mode || "ok";
      self.account = account || null;
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ requests: self.requests, events: self.seen.size, unverified: self.unverified,
      disorder: self.disorder, last: self.last, bodies: self.bodies, by: self.by,
      verified: self.verifiers.map(({ count }) => count) }));
  });
});

receiver.listen(Number(port || 0), "127.0.0.1", () =>
  commands.listen(0, "127.0.0.1", () =>
    console.log(`ready ${receiver.address().port} ${commands.address().port}`)));

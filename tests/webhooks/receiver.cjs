// receiver.cjs DIR [PORT] - receives webhooks for tests/http/test_webhook_delivery.c. DIR has cert.pem and key.pem. npm's
// standardwebhooks verifies requests to /hook/NAME with that name's secrets, and its mode selects the response. Requests to
// /set/NAME are Security Event Tokens, which npm's jose verifies with their issuer's keys. A plain server on the next line's port
// receives webhooks without TLS, and takes commands:
//
//     PUT /NAME {secrets, mode, account}    mode: ok, fail, hang, slow, gone, redirect, large; with an account for it alone
//     PUT /NAME {jwks, issuer, audience, mode, account}    account: prefix of its sessions; mode: also plain (200), unready,
//                                           refuse and strange (400 with err), bad (400 without)
//     GET /NAME                             what came: {requests, events, unverified, disorder, last, bodies, by, tokens,
//                                           kids}
"use strict";
const fs = require("fs"), http = require("http"), https = require("https");
const from = require("../support/npm.cjs")("webhooks");
const { Webhook } = from("standardwebhooks");

const [dir, port] = process.argv.slice(2);
const hooks = new Map();

function hook(name) {
  if (!hooks.has(name))
    hooks.set(name, { verifiers: [], mode: "ok", account: null, seen: new Set(), numbers: new Map(), bodies: [],
                      requests: 0, unverified: 0, disorder: 0, last: 0, by: {}, tokens: [], kids: [], set: null, keys: null });
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

// The subjects of invented events end in a number that grows with each event of an account.
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

const jose = from.import("jose");

// RFC 8417, RFC 8935: no sub, no exp, and the types of token and body. Unknown keys are fetched from the issuer again.
async function verifySet(self, body, headers) {
  const { jwtVerify, createRemoteJWKSet } = await jose;
  const { jwks, issuer, audience } = self.set;

  self.keys ??= createRemoteJWKSet(new URL(jwks), { cooldownDuration: 0 });
  const { payload, protectedHeader } = await jwtVerify(body, self.keys, { issuer, audience, typ: "secevent+jwt",
    algorithms: ["RS256"], requiredClaims: ["iat", "jti", "events", "sub_id"] });

  if (headers["content-type"] !== "application/secevent+jwt" || headers.accept !== "application/json"
      || "sub" in payload || "exp" in payload || headers["webhook-signature"])
    throw new Error("not as RFC 8935 has it");
  return { payload, kid: protectedHeader.kid };
}

function answerSet(self, mode, take, response) {
  const end = (status, body, headers) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body && JSON.stringify(body));
  };
  const refuse = (err) => end(400, { err, description: "secret of the receiver" });

  switch (mode) {
    case "ok": take(); return end(202);
    case "slow": return setTimeout(() => { take(); end(202); }, 1000);
    case "fail": return end(500);
    case "plain": return end(200);
    case "gone": return end(410);
    case "redirect": return end(307, undefined, { location: "/set/elsewhere" });
    case "hang": return undefined;
    case "unready": return refuse("invalid_key");
    case "refuse": return refuse("invalid_request");
    case "strange": return refuse("secret of the receiver");
    case "bad": return end(400, { error: "secret of the receiver" });
    case "deep": response.writeHead(400, { "content-type": "application/json" });
      return response.end("[".repeat(30000));
  }
}

async function takeSet(self, body, headers, response) {
  self.requests++;
  try {
    const { payload, kid } = await verifySet(self, body, headers), subject = payload.sub_id.session.id;
    const account = subject.slice(0, 23); // for invented sessions
    const take = () => note(self, payload.jti, { ...payload, data: { account, subject } });

    self.tokens.push(body);
    self.kids.push(kid);
    answerSet(self, !self.account || self.account === account ? self.mode : "ok", take, response);
  } catch (error) {
    self.unverified++;
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ err: error.claim === "aud" ? "invalid_audience" : "invalid_key" }));
  }
}

const options = { key: fs.readFileSync(`${dir}/key.pem`), cert: fs.readFileSync(`${dir}/cert.pem`), keepAlive: true };
const receive = (request, response) => {
  const self = hook(request.url.split("/")[2]), parts = [];

  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const body = Buffer.concat(parts).toString();

    if (request.url.startsWith("/set/"))
      return takeSet(self, body, request.headers, response);
    const by = verified(self, body, request.headers);

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
};

const receiver = https.createServer(options, receive);
const commands = http.createServer((request, response) => {
  if (request.url.startsWith("/hook/"))
    return receive(request, response);
  const self = hook(request.url.split("/")[1]), parts = [];

  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    if (request.method === "PUT") {
      const { secrets, jwks, issuer, audience, mode, account } = JSON.parse(Buffer.concat(parts).toString());

      if (secrets)
        self.verifiers = secrets.map((secret) => ({ webhook: new Webhook(secret), count: 0 }));
      if (jwks)
        self.set = { jwks, issuer, audience };
      self.mode = mode || "ok";
      self.account = account || null;
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ requests: self.requests, events: self.seen.size, unverified: self.unverified,
      disorder: self.disorder, last: self.last, bodies: self.bodies, by: self.by, tokens: self.tokens, kids: self.kids,
      verified: self.verifiers.map(({ count }) => count) }));
  });
});

receiver.listen(Number(port || 0), "127.0.0.1", () =>
  commands.listen(0, "127.0.0.1", () =>
    console.log(`ready ${receiver.address().port} ${commands.address().port}`)));

// server.cjs DIR - an S3 server for tests/support/bucket.c behind a proxy that can inject faults.
//
// The server is s3rver with its files in DIR, or ATRIUM_S3_URL. s3rver checks no version 4 signatures; the proxy does, with the
// signer of Amazon's SDK. Prints one line "ready URL".
//
//   PUT  /-/fault   [{method, path (a pattern), header, value (a pattern), do}, ...] for later requests; do: "403" "500" "503"
//        "slow" (no response) "cut" (half of it) "lost" (done without a response) "hold" (not even done) "late" (done after the
//        client disconnected) "replace" (done after its source was replaced) "" (done, only counted)
//   GET  /-/hits    how many requests each rule matched, and how many came in all
//   GET  /-/keys    all keys of the bucket
'use strict';
const http = require('http');
const from = require('../support/npm.cjs')('s3');
const {
  S3Client, HeadObjectCommand, ListObjectsV2Command, PutObjectCommand,
} = from('@aws-sdk/client-s3');
const { SignatureV4 } = from('@smithy/signature-v4');
const { Sha256 } = from('@aws-crypto/sha256-js');

const own = !process.env.ATRIUM_S3_URL;
const env = {
  url: process.env.ATRIUM_S3_URL,
  key: process.env.ATRIUM_S3_KEY || 'S3RVER',
  secret: process.env.ATRIUM_S3_SECRET || 'S3RVER',
  bucket: process.env.ATRIUM_S3_BUCKET || 'documents',
  region: process.env.ATRIUM_S3_REGION || 'us-east-1',
};
const credentials = { accessKeyId: env.key, secretAccessKey: env.secret };
const signer = new SignatureV4({
  credentials, region: env.region, service: 's3', sha256: Sha256,
  uriEscapePath: false, applyChecksum: false,
});
let rules = [], hits = [], requests = 0;

async function start() {
  if (!own) return;
  const S3rver = from('s3rver');
  const server = new S3rver({
    address: '127.0.0.1', port: 0, silent: true, directory: process.argv[2], vhostBuckets: false,
    configureBuckets: [{ name: env.bucket }],
  });
  const { address, port } = await server.run();
  env.url = `http://${address}:${port}`;
}

// Amazon's SDK, given the request's time and headers, makes the same signature.
async function isSigned(req, target) {
  const auth = /Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(
    req.headers.authorization || '');
  const date = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(req.headers['x-amz-date'] || '');
  if (!auth || !date) return false;
  const headers = {};
  for (const name of auth[2].split(';')) headers[name] = req.headers[name];
  for (const name of Object.keys(req.headers))
    if (name.startsWith('x-amz-') && !(name in headers)) return false;
  const query = {};
  for (const [name, value] of target.searchParams) query[name] = value;
  const again = await signer.sign(
    { method: req.method, protocol: 'http:', hostname: 'x', path: target.pathname, query, headers },
    { signingDate: new Date(Date.UTC(date[1], date[2] - 1, date[3], date[4], date[5], date[6])),
      signableHeaders: new Set(Object.keys(headers)), unhoistableHeaders: new Set() });
  return again.headers.authorization.endsWith(`Signature=${auth[3]}`) &&
    again.headers.authorization.includes(`SignedHeaders=${auth[2]},`);
}

function refuse(res, status, code) {
  res.writeHead(status, { 'Content-Type': 'application/xml' });
  res.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function pass(req, res, fault) {
  const to = new URL(env.url);
  const up = http.request({
    host: to.hostname, port: to.port, method: req.method, path: req.url, headers: req.headers,
    agent: false,
  }, (answer) => {
    const body = [];
    answer.on('data', (bytes) => body.push(bytes));
    answer.on('end', () => {
      const all = Buffer.concat(body);
      if (fault === 'lost') return req.socket.destroy();
      if (fault === 'cut') {
        res.writeHead(answer.statusCode, { ...answer.headers, 'content-length': all.length + 10 });
        res.write(all.subarray(0, all.length / 2));
        return setTimeout(() => req.socket.destroy(), 20);
      }
      res.writeHead(answer.statusCode, answer.headers);
      res.end(all);
    });
  });
  up.on('error', () => req.socket.destroy());
  req.pipe(up);
}

function client() {
  return new S3Client({ endpoint: env.url, region: env.region, forcePathStyle: true, credentials });
}

// Sends a request without a body.
function passLater(req) {
  const to = new URL(env.url);
  req.socket.on('close', () => setTimeout(() => http.request({
    host: to.hostname, port: to.port, method: req.method, path: req.url, headers: req.headers, agent: false,
  }).on('error', console.error).end(), 500));
}

async function keys() {
  const s3 = client();
  const found = [];
  let token;
  do {
    const page = await s3.send(
      new ListObjectsV2Command({ Bucket: env.bucket, ContinuationToken: token }));
    for (const each of page.Contents || []) found.push(each.Key);
    token = page.NextContinuationToken;
  } while (token);
  return found;
}

async function control(req, res) {
  const body = [];
  for await (const bytes of req) body.push(bytes);
  if (req.url === '/-/fault') {
    rules = JSON.parse(Buffer.concat(body));
    hits = rules.map(() => 0);
  }
  res.writeHead(200, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify(req.url === '/-/keys' ? await keys() : { hits, requests }));
}

async function serve(req, res) {
  if (req.url.startsWith('/-/')) return control(req, res);
  requests++;
  const target = new URL(req.url, 'http://x');
  const index = rules.findIndex((rule) => (!rule.method || rule.method === req.method) &&
    (!rule.path || new RegExp(rule.path).test(req.url)) && (!rule.header || rule.header in req.headers) &&
    (!rule.value || new RegExp(rule.value).test(req.headers[rule.header])));
  const fault = index < 0 ? '' : rules[index].do;
  if (index >= 0) hits[index]++;
  const form = (req.headers['content-type'] || '').startsWith('multipart/form-data');
  if (own && !form && !(await isSigned(req, target))) return refuse(res, 403, 'SignatureDoesNotMatch');
  if (fault === '403') return refuse(res, 403, 'AccessDenied');
  if (fault === '500') return refuse(res, 500, 'InternalError');
  if (fault === '503') return refuse(res, 503, 'SlowDown');
  if (fault === 'late') return passLater(req);
  if (fault === 'slow' || fault === 'hold') return undefined;
  if (fault === 'replace') await replace(req.headers['x-amz-copy-source']);
  return pass(req, res, fault);
}

// Makes as many other bytes, as from a repeated form.
async function replace(source) {
  const [bucket, ...key] = decodeURIComponent(source).replace(/^\//, '').split('/');
  const name = { Bucket: bucket, Key: key.join('/') };
  const s3 = client();
  const { ContentLength } = await s3.send(new HeadObjectCommand(name));
  await s3.send(new PutObjectCommand({ ...name, Body: Buffer.alloc(ContentLength, 'replaced') }));
}

start().then(async () => {
  const door = http.createServer((req, res) => serve(req, res).catch((e) => {
    console.error(e);
    req.socket.destroy();
  }));
  door.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${door.address().port}`));
});

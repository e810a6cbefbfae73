// forms.cjs - upload forms from Amazon's SDK, for tests/http/test_s3.c.
//
// Reads docd's form and its signer, {url, fields, key, secret, region, bucket}, from standard input. Prints pairs that compare
// it with the SDK's form for the same object and time (URL, field names, policy conditions, expiry), docd's policy signed by
// the SDK, and the SDK's form.
'use strict';
const from = require('../support/npm.cjs')('s3');
const { S3Client } = from('@aws-sdk/client-s3');
const { createPresignedPost } = from('@aws-sdk/s3-presigned-post');
const { SignatureV4 } = from('@smithy/signature-v4');
const { Sha256 } = from('@aws-crypto/sha256-js');

const ours = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const policy = JSON.parse(Buffer.from(ours.fields.policy, 'base64'));
const stamp = ours.fields['x-amz-date'];
const made = new Date(stamp.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
const credentials = { accessKeyId: ours.key, secretAccessKey: ours.secret };
const RealDate = Date;

// The SDK signs with the current time.
class ThatTime extends RealDate {
  constructor(...args) { super(...(args.length ? args : [made.getTime()])); }
  static now() { return made.getTime(); }
}

const sorted = (conditions) => conditions.map((each) => {
  if (Array.isArray(each)) return JSON.stringify(each);
  const [[name, value]] = Object.entries(each);
  return JSON.stringify([name.toLowerCase(), value]);
}).sort();

async function main() {
  const url = new URL(ours.url), label = `//${ours.bucket}.`;
  const client = new S3Client({
    endpoint: url.origin.replace(label, '//'), region: ours.region, credentials,
    forcePathStyle: !url.origin.includes(label) });
  const range = policy.conditions.find(Array.isArray);
  globalThis.Date = ThatTime;
  const form = await createPresignedPost(client, {
    Bucket: ours.bucket, Key: ours.fields.key, Conditions: [range],
    Fields: { 'Content-Type': ours.fields['Content-Type'] },
    Expires: Math.floor((new RealDate(policy.expiration) - made) / 1000) });
  const signer = new SignatureV4({ credentials, region: ours.region, service: 's3', sha256: Sha256 });
  const signature = await signer.sign(ours.fields.policy, { signingDate: made });
  const theirs = JSON.parse(Buffer.from(form.fields.Policy, 'base64'));
  const names = (fields) => Object.keys(fields).map((name) => name.toLowerCase()).sort();
  console.log(JSON.stringify({
    form, signature,
    url: [url.href, new URL(form.url).href],
    names: [names(ours.fields), names(form.fields)],
    conditions: [sorted(policy.conditions), sorted(theirs.conditions)],
    expiration: [new RealDate(policy.expiration) / 1000 | 0, new RealDate(theirs.expiration) / 1000 | 0],
  }));
}
main();

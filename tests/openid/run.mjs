// run.mjs CLIENT FLOW - runs a flow of a client with stdin's JSON: issuer, id, secret, redirect, home, resource, person {email,
// password}. Exits with 0 on success.
import assert from 'node:assert/strict';
import {Browser} from './browser.mjs';
import {place} from './place.mjs';

const [client, flow] = process.argv.slice(2);
const flows = await import(`./${client}.mjs`);

// The test shows the response first.
const shown = async error => {
  const answer = error.cause instanceof Response ? error.cause : error.response;
  console.error(error.message, answer?.status ?? '', answer && !answer.bodyUsed ? await answer.text() : '');
  throw error;
};

await flows[flow]({
  ...place,
  browser: new Browser(),
  equal: assert.equal,
  differ: assert.notEqual,
  refused: (status, ask) => assert.rejects(ask, error => {
    assert.equal(error.status ?? error.response?.status ?? error.cause?.status, status, error);
    return true;
  }),
}).catch(shown);

// run.mjs CLIENT FLOW - one flow of one client, at the place that stdin describes as JSON: issuer, id, secret,
// redirect, home, resource, person {email, password}. It ends with 0 when all of it went as it should.
import assert from 'node:assert/strict';
import {Browser} from './browser.mjs';
import {place} from './place.mjs';

const [client, flow] = process.argv.slice(2);
const flows = await import(`./${client}.mjs`);

// What was answered stands first in what the test shows.
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

// place.mjs - stdin's JSON: issuer, clients, person {email, password} and more; see test_openid.c.
import {readFileSync} from 'node:fs';

export const place = JSON.parse(readFileSync(0, 'utf8'));

export function insist(condition, why) {
  if (!condition)
    throw new Error(why);
}

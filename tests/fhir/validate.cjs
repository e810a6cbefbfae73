// validate.cjs FILE - validates a FHIR R4 Bundle with npm's fhir. Prints each error; exits with 1 when there is one.
'use strict';
const fs = require('node:fs');
const { Fhir } = require('../support/npm.cjs')('fhir')('fhir');

const bundle = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const result = new Fhir().validate(bundle, { errorOnUnexpected: true });
for (const message of result.messages.filter((m) => m.severity === 'error' || m.severity === 'fatal'))
    console.log(`${message.location} ${message.resourceId ?? ''}: ${message.message}`);
process.exit(result.valid ? 0 : 1);

#!/usr/bin/env node
// A warm bot: reads a JSON object per line and writes a JSON value per line. It starts once and answers many calls.
'use strict';
const readline = require('readline');

const greetings = { en: 'Hello', de: 'Guten Tag', es: 'Hola' };

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { input, requester } = JSON.parse(line);
  const greeting = greetings[input.language] || greetings.en;
  process.stdout.write(JSON.stringify({ text: `${greeting}, ${requester.display}!` }) + '\n');
});

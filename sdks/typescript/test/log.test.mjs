// The log: the key that a program pins. Scenario 59 of sdks/conformance follows a log.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigurationError } from '@acuse/client';
import { json, scripted } from './support/scripted.mjs';
import { vectors } from './support/vectors.mjs';

const file = vectors('notes.json');
/** Runs with a log that answers one checkpoint, and with its key, changed. */
async function pinned(change, run) {
  const { note } = file.cases.find(({ kind, valid }) => kind === 'checkpoint' && valid);
  const text = { 'Content-Type': 'text/plain; charset=utf-8' };
  const server = await scripted((_, socket) => json(socket, 200, note, text));
  try {
    await run(server.client.log, change(file.log_key), server.requests);
  } finally {
    server.close();
  }
}

describe('the pinned key', { skip: file === null && 'contract/vectors is not here' }, () => {
  for (const around of ['', ' ', '\t', '\n', '\r\n', ' \t\r\n'])
    it(`is taken in ${JSON.stringify(around)}`, () =>
      pinned(
        (key) => around + key + around,
        async (log, key) => {
          const saved = await log.checkpoint(key);
          assert.equal((await log.follow(saved, key)).tree_size, 100);
        },
      ));

  for (const [name, change] of Object.entries({
    'an empty text': () => '',
    'white space': () => ' \r\n',
    'a space in it': (key) => key.replace('+', '+ '),
    'another key after it': (key) => `${key}\n${key}`,
    'a no-break space after it': (key) => `${key}\u00a0`,
    "a witness's": () => file.witness_key,
    'no text': () => 7,
  }))
    it(`${name} is refused before any request, with the form of one`, () =>
      pinned(change, async (log, key, requests) => {
        await assert.rejects(log.checkpoint(key), (error) => {
          assert.ok(error instanceof ConfigurationError, String(error));
          assert.match(error.message, /name\+id\+base64/);
          return true;
        });
        assert.equal(requests.length, 0);
      }));
});

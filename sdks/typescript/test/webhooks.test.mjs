// Deliveries of webhooks, against the vectors that every library of Acuse is tested with.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { verifyWebhook, WebhookError } from '@acuse/client';
import { vectors } from './support/vectors.mjs';

const file = vectors('webhooks.json');
const optionsOf = ({ tolerance, accept_unstamped, now }) => ({
  toleranceMs: tolerance * 1_000,
  acceptUnstamped: accept_unstamped,
  clock: () => now * 1_000,
});

describe('webhooks.json', { skip: file === null && 'contract/vectors is not here' }, () => {
  for (const each of file?.cases ?? [])
    it(each.name, async () => {
      const verified = verifyWebhook(Buffer.from(each.body), each.headers, each.secrets, optionsOf(each));
      if (each.out.event !== undefined) assert.deepEqual({ ...(await verified) }, each.out.event);
      else
        await assert.rejects(
          verified,
          (error) => error instanceof WebhookError && error.reason === each.out.reason,
        );
    });

  it('takes a Headers, pairs, strings, an ArrayBuffer and one secret', async () => {
    const [{ body, headers, secrets, ...rest }] = file.cases;
    const options = optionsOf(rest);
    const bytes = new TextEncoder().encode(body);
    await verifyWebhook(body, new Headers(headers), secrets[0], options);
    await verifyWebhook(bytes.buffer, Object.entries(headers), secrets, options);
  });

  it('names the setting that gives the raw body when it gets a parsed one', async () => {
    const [{ body, headers, secrets }] = file.cases;
    const error = await verifyWebhook(JSON.parse(body), headers, secrets).catch((each) => each);
    assert.equal(error.reason, 'parsed_body');
    assert.match(error.message, /express\.raw/);
  });

  it('an event prints without its data', async () => {
    const [{ body, headers, secrets, ...rest }] = file.cases;
    const event = await verifyWebhook(body, headers, secrets, optionsOf(rest));
    assert.doesNotMatch(inspect({ event }), /ana@/);
  });
});

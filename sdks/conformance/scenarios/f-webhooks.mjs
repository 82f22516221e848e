import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Deliveries of webhooks, by vectors. */
export const webhooks = [
  {
    number: 54,
    title: 'Every vector of deliveries, and a parsed body',
    async run(t) {
      const { cases } = JSON.parse(readFileSync(join(t.vectors, 'webhooks.json'), 'utf8'));
      for (const { name, out, ...args } of cases) {
        const answer = await t.shim.ask('verify_webhook', args);
        if (out.event === undefined) {
          assert.ok(answer.error, `${name}: accepted`);
          assert.deepEqual([answer.error.class, answer.error.reason], ['WebhookError', out.reason], name);
        } else {
          assert.equal(answer.error, undefined, `${name}: ${JSON.stringify(answer.error)}`);
          assert.deepEqual(answer.result, out.event, name);
        }
      }
      const [{ out, body, ...good }] = cases;
      const { error } = await t.shim.ask('verify_webhook', { ...good, parsed: JSON.parse(body) });
      assert.ok(error, 'a parsed body is accepted');
    },
  },
];

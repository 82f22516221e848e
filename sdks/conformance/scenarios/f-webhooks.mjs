import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** Pings before, during and after a rotation, each. */
const PINGS = 4;
/** How long a delivery may take (ms). */
const DELIVERY_LIMIT_MS = 60_000;

/** An endpoint that keeps what it gets. */
async function startEndpoint() {
  const got = [];
  const listener = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    got,
    url: `http://127.0.0.1:${listener.address().port}/hook`,
    async until(count) {
      const since = performance.now();
      while (got.length < count) {
        assert.ok(performance.now() - since < DELIVERY_LIMIT_MS, `${got.length} of ${count} deliveries`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    close() {
      listener.closeAllConnections();
      listener.close();
    },
  };
}

/** Deliveries of webhooks, by vectors. */
export const webhooks = [
  {
    number: 54,
    offline: true,
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

/** "Done when" 9. */
export const rotated = {
  number: 68,
  title: 'A webhook secret rotated on the running server: no delivery is refused',
  async run(t) {
    const endpoint = await startEndpoint();
    // An account has four pings at once, and all columns are of one account: some wait for their turn.
    const call = (method, params, body) =>
      t.ok('call', { operation: `webhooks.${method}`, params, body }, t.patient());
    // Pings alone: the other libraries' messages are no events of this endpoint.
    const made = await call('create', {}, { url: endpoint.url, events: ['email.complained'] });
    const { id, secret: old } = made.result;
    const ping = () => Promise.all(Array.from({ length: PINGS }, () => call('ping', { id })));
    /** Every delivery so far, with each of these sets of secrets. */
    const accepted = async (from, ...sets) => {
      for (const delivery of endpoint.got.slice(from))
        for (const secrets of sets) {
          const now = Math.floor(Date.now() / 1_000);
          const { result } = await t.ok('verify_webhook', { ...delivery, secrets, now });
          assert.equal(result.replay_protected, true);
        }
    };
    try {
      await ping();
      const [rotation] = await Promise.all([call('rotateSecret', { id }), ping()]);
      const { secret: fresh } = rotation.result;
      assert.notEqual(fresh, old);
      await endpoint.until(2 * PINGS);
      await ping();
      await endpoint.until(3 * PINGS);
      // Whoever has the old secret or both accepts everything; whoever has the new one, what came after it.
      await accepted(0, [old], [old, fresh], [fresh, old]);
      await accepted(2 * PINGS, [fresh]);
      const [delivery] = endpoint.got;
      const first = { ...delivery, secrets: [fresh], now: Math.floor(Date.now() / 1_000) };
      await t.fails('verify_webhook', first, {}, { class: 'WebhookError', reason: 'no_match' });
    } finally {
      await call('delete', { id });
      endpoint.close();
    }
  },
};

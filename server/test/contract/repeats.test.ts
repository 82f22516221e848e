import { afterAll, beforeAll, expect, test } from 'vitest';
import { newKey } from '../support/service.ts';
import { OPERATIONS } from './conform.ts';
import { makeThings, type Step, specialSteps } from './walk-steps.ts';
import { startWalkWorld, type WalkWorld } from './walk-world.ts';

/**
 * Repeats requests that got no answer, as the document allows it: the second request does nothing
 * that the first one has not done.
 */
let world: WalkWorld;
let special: Record<string, Step[]>;

beforeAll(async () => {
  world = await startWalkWorld();
  special = await specialSteps(world, await makeThings(world));
});
afterAll(() => world?.stop());

/** Things that requests make. Attempts, events and deliveries come by themselves, of what was made before. */
const MADE = [
  'messages',
  'templates',
  'template_versions',
  'domains',
  'dkim_keys',
  'senders',
  'suppressions',
  'webhook_endpoints',
  'api_keys',
  'message_certificates',
];

async function countMade(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of MADE) {
    const [row] = await world.beside.db.query<{ n: number }>(`select count(*)::int as n from ${table}`, []);
    counts[table] = row!.n;
  }
  return counts;
}

/** A request that succeeds, and may be sent again. */
function firstStep(id: string): Step {
  if (id !== 'sendBatch') return special[id]![0]!;
  const item = {
    from: 'billing@sandbox.test',
    to: 'delivered@sandbox.test',
    subject: 'Hello',
    text: 'Hello',
  };
  return {
    method: 'POST',
    path: '/v1/messages/batch',
    body: { messages: [1, 2].map(() => ({ idempotency_key: newKey(), ...item })) },
  };
}

const repeated = OPERATIONS.filter(
  ({ operation }) => !['safe', 'once'].includes(operation['x-acuse-retry'] ?? ''),
);

test.each(repeated.map(({ id, method }) => ({ id, method })))(
  '$id twice is as once',
  async ({ id, method }) => {
    const step = firstStep(id);
    const first = await world.call(step);
    expect([200, 201, 204]).toContain(first.status);
    const once = await countMade();
    const second = await world.call(step);
    // A deleted thing is gone: a client takes the second answer for the first one's success.
    expect(second.status).toBe(method === 'DELETE' ? 404 : 200);
    expect(await countMade()).toEqual(once);
  },
);

test('what may be sent once does a second thing, or is refused', async () => {
  const once = OPERATIONS.filter(({ operation }) => operation['x-acuse-retry'] === 'once');
  expect(once.map(({ id }) => id).sort()).toEqual([
    'cancelMessage',
    'createApiKey',
    'createDomain',
    'createSender',
    'createTemplate',
    'createWebhook',
    'pingWebhook',
    'replayWebhookDeliveries',
    'replayWebhookDelivery',
    'retryMessage',
    'rotateDkim',
    'rotateWebhookSecret',
  ]);
  expect((await world.call(special['createDomain']![0]!)).status).toBe(201);
  expect((await world.call(special['createDomain']![0]!)).status).toBe(409);
  const keys = await countMade();
  for (let time = 1; time <= 2; time++)
    expect((await world.call(special['createApiKey']![0]!)).status).toBe(201);
  expect((await countMade())['api_keys']).toBe(keys['api_keys']! + 2);
});

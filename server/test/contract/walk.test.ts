import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES, type Scope } from '../../src/platform/http/http.ts';
import { newId } from '../../src/platform/ids.ts';
import { newKey } from '../support/service.ts';
import { type DocumentedOperation, expectDocumented, OPERATIONS, type RawAnswer } from './conform.ts';
import { GOOD_SEND, makeThings, type Step, specialSteps } from './walk-steps.ts';
import { startWalkWorld, type WalkWorld } from './walk-world.ts';

/**
 * Every operation of the document against a running server: each documented status is reached, and every
 * answer is what the document says that it may be.
 */
let world: WalkWorld;
let special: Record<string, Step[]>;
const keys = {} as Record<Scope, string>;

beforeAll(async () => {
  world = await startWalkWorld();
  for (const scope of SCOPES) keys[scope] = await world.keyWith(scope);
  special = await specialSteps(world, await makeThings(world));
});
afterAll(() => world?.stop());

/** Nothing short of a fault in the service itself makes these. */
const FAULTS = new Set(['408', '500']);

const MiB = 1024 * 1024;
const BODY_LIMITS: Record<string, number> = {
  sendMessage: 36 * MiB,
  sendBatch: 64 * MiB,
  createTemplate: 4 * MiB,
  updateTemplate: 4 * MiB,
  renderTemplate: 4 * MiB,
  renderTemplateDraft: 4 * MiB,
  importSuppressions: 2 * MiB,
  developmentTimeStamp: 4096,
};

/** Answers that every operation of its kind can be made to give, by status. */
function generalSteps({ id, method, path, operation }: DocumentedOperation): Record<string, Step> {
  const url = path
    .replace('{path}', '0/000')
    .replace('{tree_size}', '1')
    .replaceAll(/\{\w+\}/g, () => newId());
  const scopes = operation.security.map(({ apiKey }) => apiKey![0]);
  const other = SCOPES.find((scope) => !scopes.includes(scope));
  const headers = { 'idempotency-key': newKey() };
  const body = BODIES[id];
  const plain: Step = { method, path: url, headers, ...(body !== undefined && { body }) };
  const type = id === 'developmentTimeStamp' ? 'application/timestamp-query' : 'application/json';
  return {
    400: { ...plain, path: `${url}?colour=1`, headers: { ...headers, 'content-type': type } },
    ...(method !== 'GET' && {
      ...(id !== 'developmentTimeStamp' && { 400: { method, path: url, headers, body: '{"nonsense":1' } }),
      413: {
        method,
        path: url,
        headers: { ...headers, 'content-type': type },
        declaredBytes: (BODY_LIMITS[id] ?? MiB) + 1,
      },
      415: { method, path: url, headers: { ...headers, 'content-type': 'text/plain' }, body: 'x' },
    }),
    401: { ...plain, key: null },
    ...(other !== undefined && { 403: { ...plain, key: keys[other] } }),
    404: plain,
    429: { ...plain, base: world.rationed },
    503: { ...plain, base: world.cutOff },
  };
}

/** Bodies that pass the schema, where an operation wants one before it looks for anything. */
const BODIES: Record<string, object> = {
  sendMessage: GOOD_SEND,
  sendBatch: { messages: [{ idempotency_key: newKey(), ...GOOD_SEND }] },
  updateMessage: { send_at: null },
  updateTemplate: { subject: 'x' },
  renderTemplate: {},
  createTemplate: { name: 'general', subject: 'S', text: 'T' },
  createDomain: { name: 'general.example.com' },
  createSender: { address: 'general@sandbox.test' },
  updateSender: { active: true },
  createSuppression: { address: 'general@example.net' },
  createWebhook: { url: 'https://127.0.0.1:1/', events: ['email.sent'] },
  updateWebhook: { description: 'x' },
  replayWebhookDeliveries: { since: '2026-01-01T00:00:00Z' },
  createApiKey: { name: 'general', scopes: ['evidence:read'] },
  verifyMessage: { message_id: newId() },
  openShare: { secret: 'x' },
};

/** Asks once the rationed server has granted what it does. */
async function pressed(step: () => Promise<RawAnswer>): Promise<RawAnswer> {
  for (const path of ['/v1/account', '/nowhere', '/healthz'])
    await world.call({ method: 'GET', path, base: world.rationed });
  return step();
}

test.each(OPERATIONS)(
  '$id answers with each of its statuses, and as the document says',
  async (documented) => {
    const { id, operation } = documented;
    const reached = new Set<string>();
    const walk = async (step: Step) => {
      const answer = await world.call(step);
      expectDocumented(documented, answer);
      reached.add(String(answer.status));
      return answer;
    };
    const steps = special[id];
    expect(steps, `no steps for ${id}`).toBeDefined();
    for (const step of steps!) await walk(step);
    const general = generalSteps(documented);
    for (const status of Object.keys(operation.responses)) {
      if (reached.has(status) || FAULTS.has(status)) continue;
      const step = general[status];
      expect(step, `nothing reaches ${status} of ${id}`).toBeDefined();
      const answer = status === '429' ? await pressed(() => walk(step!)) : await walk(step!);
      expect([id, answer.status, answer.body.subarray(0, 200).toString()]).toEqual([
        id,
        Number(status),
        expect.any(String),
      ]);
      if (status === '429' || status === '503')
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect([...reached].sort()).toEqual(
      Object.keys(operation.responses)
        .filter((status) => !FAULTS.has(status))
        .sort(),
    );
  },
);

test('every step is of an operation that there is', () => {
  const known = new Set(OPERATIONS.map(({ id }) => id));
  expect(Object.keys(special).filter((id) => !known.has(id))).toEqual([]);
});

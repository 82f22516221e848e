import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acuse } from '../cli/run.ts';
import { type EndedLog, keepBundle, makeEndedLog, sendCertified, untilSealed } from '../support/ended-log.ts';
import { readExposition } from '../support/exposition.ts';
import type { Service } from '../support/process.ts';

/**
 * Certified mail that waited when its log ended stays unsealed, because its manifest names that log; whoever
 * asks is told so, it is delivered all the same, and what is sent afterwards is sealed in the new log.
 */
let log: EndedLog;
let service: Service;
let fresh = '';

beforeAll(async () => {
  log = await makeEndedLog();
  service = await log.start();
});
afterAll(() => log?.close());

/** Of the three leaves that waited when the log ended. */
const UNSEALED = 3;
/** And of what became of two of them, and of one that was sealed, since. */
const OUTCOMES_SINCE = 2;
const NEVER = { code: 'missing_proof_data', message: expect.stringContaining('never will be') };
const errorOf = async (method: string, path: string, body?: object) => {
  const { status, body: said } = await service.call(method, path, body);
  return [status, said.error];
};

test('the command counts what is never sealed: messages, and what became of them', () => {
  expect(log.ended).toMatchObject({ size: 3, unsealed: UNSEALED, successor: 'sandbox.test/log-2' });
});

test('what waited to be delivered is delivered or bounced when the operator says so', async () => {
  const unknown = await log.run('queue', 'unknown', '--json');
  expect(unknown.json.total).toBe(2);
  expect(await log.run('queue', 'resolve', log.ids.waiting, '--send')).toMatchObject({ code: 0 });
  await service.until(log.ids.waiting, 'sent');
  expect(await log.run('queue', 'resolve', log.ids.held, '--bounce')).toMatchObject({ code: 0 });
  await service.until(log.ids.held, 'bounced');
});

test('what is sent afterwards is sealed in the new log, with what became of it', async () => {
  fresh = await sendCertified(service);
  await untilSealed(service, fresh, 1);
  await keepBundle(service, fresh, log.at('fresh.json'));
  const verified = await acuse(['verify', log.at('fresh.json'), '--json']);
  expect(verified.json).toMatchObject({ valid: true, facts: { log: 'sandbox.test/log-2' } });
  expect(verified.json.facts.delivery).toMatchObject([{ kind: 'sent', sealed_at: expect.any(String) }]);
});

test.each(['waiting', 'delivered'] as const)('%s: nobody is told to wait for a seal', async (name) => {
  const id = log.ids[name];
  const shown = await service.call('GET', `/v1/messages/${id}`);
  expect(shown.body).toMatchObject({ status: 'sent', sealed_at: null, promise: null });
  for (const path of ['evidence', 'proof-bundle'])
    expect(await errorOf('GET', `/v1/messages/${id}/${path}`)).toEqual([422, NEVER]);
  expect(await errorOf('POST', `/v1/messages/${id}/seal`)).toEqual([422, NEVER]);
  expect(await errorOf('POST', '/v1/verify', { message_id: id })).toEqual([422, NEVER]);
});

test('what was sealed keeps its evidence, without an outcome that came after the end', async () => {
  const { body } = await service.call('GET', `/v1/messages/${log.ids.held}/evidence`);
  expect(body.delivery).toMatchObject([{ kind: 'bounced', leaf_index: null, sealed_at: null }]);
  for (const name of ['held', 'sealed'] as const) {
    const answer = await service.call('POST', '/v1/verify', { message_id: log.ids[name] });
    expect(answer.body, name).toMatchObject({ valid: true });
    await keepBundle(service, log.ids[name], log.at(`${name}-again.json`));
    expect(await acuse(['verify', log.at(`${name}-again.json`)]), name).toMatchObject({ code: 5 });
  }
});

test('nothing of it counts as waiting: status, doctor, metrics', async () => {
  const unsealed_leaves = UNSEALED + OUTCOMES_SINCE;
  const status = await log.run('sealing', 'status', '--json');
  const ended = { ended_at: expect.any(String), leaves: 3, pending_leaves: 0, unsealed_leaves };
  expect(status.json.logs).toMatchObject([
    { origin: 'sandbox.test/log', ...ended },
    { origin: 'sandbox.test/log-2', ended_at: null, leaves: 2, pending_leaves: 0, unsealed_leaves: 0 },
  ]);
  const text = await log.run('sealing', 'status');
  expect(text.out).toContain(`; ${unsealed_leaves} leaves waited for it and are never sealed`);
  const doctor = await log.run('doctor', '--json');
  expect(doctor.json.findings).toContainEqual(
    expect.objectContaining({
      check: 'sealing.log',
      about: 'sandbox.test/log',
      status: 'ok',
      detail: expect.stringContaining(`${unsealed_leaves} never sealed`),
    }),
  );
  await eventually(async () => {
    const { body } = await service.call('GET', '/metrics');
    const { samples } = readExposition(body);
    const value = (name: string) => samples.find((sample) => sample.name === name)?.value;
    return (
      value('acuse_log_leaves') === 2 &&
      value('acuse_log_pending_leaves') === 0 &&
      value('acuse_stamp_queue_checkpoints') === 0 &&
      value('acuse_oldest_unsealed_seconds') === 0
    );
  });
});

test('fsck finds nothing wrong with any of it', async () => {
  const { code, json } = await log.run('fsck', '--json');
  expect([code, json.problems]).toEqual([0, []]);
});

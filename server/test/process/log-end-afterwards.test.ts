import { writeFileSync } from 'node:fs';
import { toHex } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { decodeEntryBundle } from '@acuse/evidence/tiles';
import { parseVerifierKey } from '@acuse/evidence/verifier-key';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from '../cli/run.ts';
import { type EndedLog, keepBundle, makeEndedLog, sendCertified, untilSealed } from '../support/ended-log.ts';
import { readExposition } from '../support/exposition.ts';
import type { Service } from '../support/process.ts';

/** Others' view of a log that has ended: each group on a copy of the same installation. */
let made: EndedLog;
let log: EndedLog;
let service: Service;

beforeAll(async () => {
  made = await makeEndedLog(async ({ service, oldKey, at, moment }) => {
    const url = `${service.baseUrl}/log`;
    const state = at(`${moment}.json`);
    const seen = await acuse(['monitor', url, '--key', oldKey, '--state', state, '--json']);
    expect(seen.json).toMatchObject({ status: 'ok', checkpoint: { size: moment === 'early' ? 2 : 9 } });
    writeFileSync(at(`${moment}-checkpoint.txt`), await (await fetch(`${url}/checkpoint`)).text());
  });
});
afterAll(() => made?.close());

/**
 * A log that has ended stays readable under the id of its key, and a monitor with its old state learns of the
 * end there, whatever it had seen, and reports neither a fork nor a rollback.
 */
describe('a monitor', () => {
  let newKey = '';

  const look = (url: string, key: string, state: string, ...more: string[]) =>
    acuse(['monitor', url, '--key', key, '--state', log.at(state), '--json', ...more]);
  const idOf = (key: string) => toHex(parseVerifierKey(key, sha256).keyId);
  const addressOf = (key: string) => `${service.baseUrl}/log/of/${idOf(key)}`;

  beforeAll(async () => {
    log = await made.copy();
    service = await log.start();
    const fresh = await sendCertified(service);
    await untilSealed(service, fresh, 1);
    newKey = String((await service.call('GET', '/log/key')).body).trim();
  });
  afterAll(() => service.stop());

  const ENDED = {
    code: 'ended',
    detail: expect.stringContaining('with 3 of the 9 leaves that it had published (disk and WAL lost)'),
    notes: [expect.any(String)],
  };

  test('the address that every monitor has: one that saw what stays reads the rest, and no fork', async () => {
    const first = await look(`${service.baseUrl}/log`, log.oldKey, 'early.json');
    expect(first.code).toBe(1);
    expect(first.json).toMatchObject({ alerts: [ENDED], incidents: [], checkpoint: { size: 3 } });
    expect(first.json.alerts[0].detail).toContain(`--key ${newKey}`);
    expect(first.json.entries_read).toBe(1);
    const again = await look(`${service.baseUrl}/log`, log.oldKey, 'early.json', '--full');
    expect(again.json).toMatchObject({ alerts: [ENDED], incidents: [], entries_read: 0 });
  });

  test('one that saw what is lost is told of the end, and nothing else', async () => {
    const seen = ['--seen', log.at('late-checkpoint.txt'), '--seen', log.at('early-checkpoint.txt')];
    for (let times = 0; times < 2; times++) {
      const told = await look(`${service.baseUrl}/log`, log.oldKey, 'late.json', ...seen);
      expect(told.json).toMatchObject({ alerts: [ENDED], incidents: [], checkpoint: { size: 9 } });
    }
  });

  test('one that begins afterwards reads what is left, and verifies its constancias', async () => {
    const late = await look(`${service.baseUrl}/log`, log.oldKey, 'none.json');
    expect(late.json).toMatchObject({
      ...{ alerts: [ENDED], incidents: [], checkpoint: { size: 3 }, entries_read: 3 },
      constancias: { open: 0, newest: { size: 3 } },
    });
  });

  test('under the id of its key each log is what it was: caches there stay true', async () => {
    expect((await look(addressOf(log.oldKey), log.oldKey, 'own.json')).json).toMatchObject({
      ...{ alerts: [ENDED], incidents: [], checkpoint: { size: 3 } },
    });
    for (const url of [addressOf(newKey), `${service.baseUrl}/log`])
      expect((await look(url, newKey, 'new.json')).json).toMatchObject({
        ...{ status: 'ok', log: 'sandbox.test/log-2', checkpoint: { size: 2 } },
      });
  });

  test('its checkpoint, key, entries, tiles and constancias are served there, and no other log is', async () => {
    const get = async (path: string) => fetch(`${addressOf(log.oldKey)}/${path}`);
    const key = parseVerifierKey(log.oldKey, sha256);
    const { checkpoint } = openCheckpoint(await (await get('checkpoint')).text(), [key]);
    expect(checkpoint).toMatchObject({ origin: 'sandbox.test/log', size: 3 });
    expect((await (await get('key')).text()).trim()).toBe(log.oldKey);
    const entries = await get('tile/entries/000.p/3');
    expect(entries.headers.get('cache-control')).toContain('immutable');
    expect(decodeEntryBundle(new Uint8Array(await entries.arrayBuffer()), 3)).toHaveLength(3);
    expect((await (await get('tile/0/000.p/3')).arrayBuffer()).byteLength).toBe(96);
    expect(await (await get('certificates/3')).json()).toMatchObject({ tree_size: 3 });
    expect((await (await get('end')).json()).ended).toMatchObject([{ origin: 'sandbox.test/log' }]);
    for (const path of ['tile/0/000.p/4', 'tile/x', 'certificates/9', 'certificates/x'])
      expect((await get(path)).status, path).toBe(404);
    for (const path of ['checkpoint', 'key', 'tile/0/000.p/1', 'certificates/1'])
      expect((await fetch(`${service.baseUrl}/log/of/00000000/${path}`)).status, path).toBe(404);
  });
});

/** Whoever verifies a bundle of a log that has ended is told so, online and offline. */
describe('whoever verifies a bundle', () => {
  let fresh = '';

  beforeAll(async () => {
    log = await made.copy();
    service = await log.start();
    fresh = await sendCertified(service);
    await untilSealed(service, fresh, 1);
    await keepBundle(service, fresh, log.at('fresh.json'));
    writeFileSync(log.at('ended.json'), JSON.stringify((await service.call('GET', '/log/end')).body));
  });
  afterAll(() => service.stop());

  const SAID = /^log sandbox\.test\/log ended at .* with 3 of the 9 leaves .*; sandbox\.test\/log-2 goes on/;
  const verify = (name: string, ...more: string[]) => acuse(['verify', log.at(name), ...more]);

  test('POST /v1/verify says it among its checks, and of the log that goes on nothing', async () => {
    const ask = async (message_id: string) => (await service.call('POST', '/v1/verify', { message_id })).body;
    for (const id of [log.ids.sealed, log.ids.held]) {
      const { valid, checks } = await ask(id);
      expect(valid).toBe(true);
      expect(checks).toContainEqual({ name: 'log_end', ok: true, detail: expect.stringMatching(SAID) });
    }
    const { valid, checks } = await ask(fresh);
    expect(valid).toBe(true);
    expect(checks.map(({ name }: { name: string }) => name)).not.toContain('log_end');
  });

  test.each(['sealed', 'delivered', 'lost'])(
    'acuse verify of %s says it, given what /log/end answers',
    async (name) => {
      const given = ['--log-end', log.at('ended.json')];
      const said = await verify(`${name}.json`, ...given, '--json');
      expect([said.code, said.err]).toEqual([5, '']);
      expect(said.json.facts).toMatchObject({
        log_ended_at: expect.any(String),
        log_kept_size: 3,
        log_published_size: 9,
        log_successor: 'sandbox.test/log-2',
      });
      expect((await verify(`${name}.json`, ...given, '--verbose')).out).toMatch(
        /✓ log_end +log sandbox\.test\/log ended at/,
      );
      // Without it, it cannot know.
      expect((await verify(`${name}.json`, '--verbose')).out).not.toContain('log_end');
    },
  );

  test('of a bundle of another log it says that nothing is said, and a file that is no end is refused', async () => {
    const other = await verify('fresh.json', '--log-end', log.at('ended.json'));
    expect(other).toMatchObject({
      code: 5,
      err: expect.stringContaining('no statement in it is of the log'),
    });
    writeFileSync(log.at('note.txt'), JSON.parse(JSON.stringify((await ended())[0].note)));
    const note = await verify('sealed.json', '--log-end', log.at('note.txt'), '--verbose');
    expect(note).toMatchObject({ code: 5, out: expect.stringContaining('✓ log_end') });
    for (const text of ['hello', '{"ended":7}', '{"ended":[{"note":"acuse/log-end/v1"}]}']) {
      writeFileSync(log.at('bad.json'), text);
      const bad = await verify('sealed.json', '--log-end', log.at('bad.json'), '--json');
      expect([bad.code, bad.json.error.code], text).toEqual([2, 'invalid_log_end']);
    }
  });

  const ended = async () => (await service.call('GET', '/log/end')).body.ended;
});

/**
 * Certified mail that waited when its log ended stays unsealed, because its manifest names that log; whoever
 * asks is told so, it is delivered all the same, and what is sent afterwards is sealed in the new log.
 */
describe('certified mail that waited', () => {
  let fresh = '';

  beforeAll(async () => {
    log = await made.copy();
    service = await log.start();
  });
  afterAll(() => service.stop());

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
      // The log that goes on answers for the one that has ended.
      const asked = await acuse([
        ...['verify', log.at(`${name}-again.json`), '--json'],
        ...['--ask', `${service.baseUrl}/log`],
      ]);
      expect(asked.json.files[0].asked, name).toMatchObject({ missing: 0 });
      expect(asked.json.contradictions).toEqual([]);
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
});

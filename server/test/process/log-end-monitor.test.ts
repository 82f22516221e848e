import { writeFileSync } from 'node:fs';
import { toHex } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { decodeEntryBundle } from '@acuse/evidence/tiles';
import { parseVerifierKey } from '@acuse/evidence/verifier-key';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from '../cli/run.ts';
import { type EndedLog, makeEndedLog, sendCertified, untilSealed } from '../support/ended-log.ts';
import type { Service } from '../support/process.ts';

/**
 * A log that has ended stays readable under the id of its key, and a monitor with its old state learns of the
 * end there, whatever it had seen, and reports neither a fork nor a rollback.
 */
let log: EndedLog;
let service: Service;
let newKey = '';

const look = (url: string, key: string, state: string, ...more: string[]) =>
  acuse(['monitor', url, '--key', key, '--state', log.at(state), '--json', ...more]);
const idOf = (key: string) => toHex(parseVerifierKey(key, sha256).keyId);
const addressOf = (key: string) => `${service.baseUrl}/log/of/${idOf(key)}`;

beforeAll(async () => {
  log = await makeEndedLog(async ({ service, oldKey, at, moment }) => {
    const url = `${service.baseUrl}/log`;
    const state = at(`${moment}.json`);
    const seen = await acuse(['monitor', url, '--key', oldKey, '--state', state, '--json']);
    expect(seen.json).toMatchObject({ status: 'ok', checkpoint: { size: moment === 'early' ? 2 : 9 } });
    writeFileSync(at(`${moment}-checkpoint.txt`), await (await fetch(`${url}/checkpoint`)).text());
  });
  service = await log.start();
  const fresh = await sendCertified(service);
  await untilSealed(service, fresh, 1);
  newKey = String((await service.call('GET', '/log/key')).body).trim();
});
afterAll(() => log?.close());

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

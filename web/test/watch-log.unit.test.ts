import { writeBundle } from '@acuse/evidence/bundle';
import { REQUIRED_ENTRIES } from '@acuse/evidence/bundle-entries';
import { toHex, utf8 } from '@acuse/evidence/bytes';
import { formatTrustPolicy } from '@acuse/evidence/policy';
import { COSIGNATURE_V1, verifierKey } from '@acuse/evidence/verifier-key';
import { sha256 } from '@noble/hashes/sha2.js';
import { expect, test } from 'vitest';
import { type LogReader, LogUnreachable } from '../shared/api/log.ts';
import { watchLog } from '../shared/evidence/log/watch.ts';
import type { FaultCode, Watched, WatchRequest } from '../shared/evidence/log/watched.ts';
import { cosigned, entriesOf, entryOf, openOwnLog, signerOf } from './support/own-log.ts';

/** A browser's findings about a log, whatever its operator does with the key that it has. */

const NOW = 1_800_000_000;
const AT = '2026-11-20T09:30:00.000Z';
const request = (changed: Partial<WatchRequest> = {}): WatchRequest => ({
  ...{ kind: 'log', held: null, entries: [], promises: [], sealedSize: null, bundle: null, nowSeconds: NOW },
  ...changed,
});

async function watched(log: LogReader, changed: Partial<WatchRequest> = {}): Promise<Watched> {
  const answer = await watchLog(log, request(changed));
  if (answer.kind !== 'watched') throw new Error(`unreachable: ${answer.status}`);
  return answer.watched;
}

const codesOf = ({ steps }: Watched): FaultCode[] =>
  steps.flatMap(({ faults }) => faults.map(({ code }) => code));
const stateOf = ({ steps }: Watched, name: string) => steps.find((step) => step.name === name)?.state;

const log = openOwnLog();
const entries = entriesOf(200);
const heldOf = (count: number) => ({ key: log.vkey, note: log.noteOf(entries.slice(0, count)), at: AT });

test('a log that only grows is in order, from every size that was seen', async () => {
  log.show(entries);
  for (const count of [1, 2, 3, 64, 127, 128, 199, 200]) {
    const found = await watched(log, { held: heldOf(count) });
    expect([count, codesOf(found), found.heldSize]).toEqual([count, [], count]);
    expect(stateOf(found, 'consistency')).toBe('ok');
  }
  const first = await watched(log);
  expect([codesOf(first), stateOf(first, 'consistency'), first.newest?.size]).toEqual([[], 'nothing', 200]);
});

test.each([
  ['has shrunk', () => log.show(entries.slice(0, 63)), 'shrunk'],
  ['signed two trees of one size', () => log.show([...entries.slice(0, 63), entryOf('other')]), 'forked'],
  ['continues another history', () => log.show([entryOf('other'), ...entries.slice(1)]), 'rewritten'],
  [
    'signs one tree and shows the tiles of another',
    () => log.show(entries, [entryOf('other'), ...entries.slice(1)]),
    'rewritten',
  ],
  ['withholds its tiles', () => log.show([], entries), 'rewritten'],
] as const)('a log that %s is found out, with two signed statements', async (_, cheat, code) => {
  cheat();
  const held = heldOf(64);
  const found = await watched(log, { held });
  expect(codesOf(found)).toEqual([code]);
  const { notes } = found.steps.flatMap(({ faults }) => faults)[0]!;
  expect(notes).toEqual([held.note, found.newest!.note]);
});

test('another key, a signature by nobody, and something that is not a checkpoint', async () => {
  const other = openOwnLog('other.test/log');
  other.show(entries);
  log.show(entries);
  const replaced = await watched(other, { held: heldOf(64) });
  expect(codesOf(replaced)).toEqual(['other_key']);
  expect(stateOf(replaced, 'consistency')).toBe('unchecked');
  expect(codesOf(await watched({ ...log, checkpoint: other.checkpoint }, { held: heldOf(64) }))).toEqual([
    'unsigned',
  ]);
  for (const bytes of [new Uint8Array(0), utf8('<html>'), new Uint8Array([0xff, 0xfe])])
    expect(codesOf(await watched({ ...log, checkpoint: async () => bytes }))).toEqual(['unsigned']);
  expect(codesOf(await watched({ ...log, key: async () => 'x' }))).toEqual(['unsigned']);
});

test('an entry of the reader that is not where it is said to be', async () => {
  log.show(entries);
  const entry = { messageId: 'm', canonicalHash: toHex(entries[7]!), index: 7 };
  expect(codesOf(await watched(log, { entries: [entry] }))).toEqual([]);
  expect(codesOf(await watched(log, { entries: [{ ...entry, index: 8 }] }))).toEqual(['entry_missing']);
  expect(codesOf(await watched(log, { entries: [{ ...entry, canonicalHash: 'ab' }] }))).toEqual([
    'entry_missing',
  ]);
  // Sealed after the checkpoint was read: the next look has it.
  expect(codesOf(await watched(log, { entries: [{ ...entry, index: 200 }] }))).toEqual([]);
});

test('promises: open, kept, broken, kept with another entry, and signed by nobody', async () => {
  log.show(entries);
  const [entry, later, past] = [entries[7]!, NOW + 60, NOW - 3_600];
  const own = (note: string, index: number | null) => ({ promises: [{ messageId: 'm', note, index }] });
  const open = await watched(log, own(log.promise(entry, later), null));
  expect([codesOf(open), open.openPromises, open.dueSeconds]).toEqual([[], 1, later]);
  expect(codesOf(await watched(log, own(log.promise(entry, past), 7)))).toEqual([]);
  expect(codesOf(await watched(log, own(log.promise(entry, past), null)))).toEqual(['promise_broken']);
  expect(codesOf(await watched(log, own(log.promise(entryOf('x'), past), 7)))).toEqual(['promise_broken']);
  const foreign = openOwnLog('other.test/log').promise(entry, later);
  expect(codesOf(await watched(log, own(foreign, null)))).toEqual(['promise_unsigned']);
});

test('witnesses: those that the bundles name, as far as they signed', async () => {
  log.show(entries);
  const [seen, silent] = [signerOf('w1.test/witness'), signerOf('w2.test/witness')];
  const keys = [seen, silent].map(({ name, publicKey }) =>
    verifierKey(name, publicKey, sha256, COSIGNATURE_V1),
  );
  const policy = formatTrustPolicy({ logKeys: [], timeStamps: [], witnessKeys: keys, witnessQuorum: 1 });
  const required = REQUIRED_ENTRIES.map((name) => [name, new Uint8Array(1)] as const);
  const bundle = writeBundle(new Map([...required, ['policy.json', policy]]));
  const note = cosigned(log.noteOf(entries), seen, NOW);
  const found = await watched({ ...log, checkpoint: async () => utf8(note) }, { bundle });
  expect(found.witnesses).toEqual([
    { name: 'w1.test/witness', unixSeconds: NOW },
    { name: 'w2.test/witness', unixSeconds: null },
  ]);
  expect([stateOf(found, 'witnesses'), codesOf(found)]).toEqual(['waiting', []]);
  const forged = cosigned(log.noteOf(entries.slice(1)), seen, NOW)
    .split('\n')
    .at(-2);
  const lies = `${log.noteOf(entries)}${forged}\n`;
  expect(codesOf(await watched({ ...log, checkpoint: async () => utf8(lies) }, { bundle }))).toEqual([
    'cosignature',
  ]);
});

test('a constancia that is not one, and over a checkpoint of another tree', async () => {
  log.show(entries);
  const document = (note: string) => ({
    ...{ checkpoint: note, previous_tree_size: 0, token: 'AAAA', policy: {} },
  });
  for (const given of [{}, 'text', document(log.noteOf(entries)), document('x')]) {
    const found = await watched({ ...log, certificate: async () => given });
    expect(codesOf(found)).toEqual(['history']);
    expect(found.history).toMatchObject([{ size: 200, ok: false, stamp: null }]);
  }
});

test('no answer is not an accusation', async () => {
  const silent = { ...log, checkpoint: () => Promise.reject(new LogUnreachable(503)) };
  expect(await watchLog(silent, request())).toEqual({ kind: 'unreachable', status: 503 });
});

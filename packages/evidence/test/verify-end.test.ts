import { describe, expect, test } from 'vitest';
import { openCheckpoint } from '../src/checkpoint.ts';
import { type LogEnd, signLogEnd } from '../src/log-end.ts';
import { verifierKey } from '../src/verifier-key.ts';
import { type Verification, verifyEntries } from '../src/verify.ts';
import { completeBundle, logSigner, policy } from './bundle-support.ts';
import { sha256, signerFor } from './support.ts';

/**
 * A bundle of a log that has ended is valid within what the log had published, and says so; beyond it, it
 * fails. Its checkpoints are of 13, 15 and 21 leaves.
 */

const bundle = await completeBundle();
const failed = ({ checks }: Verification) => checks.filter(({ ok }) => !ok).map(({ name }) => name);
const last = signerFor('log.example/acuse-2');
const root = (fill: number) => new Uint8Array(32).fill(fill);
/** That of the bundle's largest checkpoint. */
const { rootHash } = openCheckpoint(shownNote(), policy.logKeys).checkpoint;

function shownNote(): string {
  const lines = Buffer.from(bundle.get('delivery/02-bounced.tlog-proof')!).toString('utf8').split('\n');
  return lines.slice(lines.indexOf('') + 1).join('\n');
}

function ended(change: Partial<LogEnd> = {}, signer = logSigner): string {
  const end: LogEnd = {
    origin: signer.name,
    kept: { size: 13, rootHash: prove13() },
    published: { size: 40, rootHash: root(2) },
    endedAt: new Date('2026-11-23T10:00:00.000Z'),
    successor: verifierKey(last.name, last.publicKey, sha256),
    reason: 'disk lost',
    ...change,
  };
  return signLogEnd(end, [signer, last], sha256);
}

/** The root of the tree of 13 leaves that the message is in. */
function prove13(): Uint8Array {
  const lines = Buffer.from(bundle.get('proof.tlog-proof')!).toString('utf8').split('\n');
  const note = lines.slice(lines.indexOf('') + 1).join('\n');
  return openCheckpoint(note, policy.logKeys).checkpoint.rootHash;
}

const verified = (...ends: string[]) => verifyEntries(bundle, { sha256, now: new Date(), ends });
const endOf = ({ checks }: Verification) => checks.find(({ name }) => name === 'log_end');

describe('a bundle of a log that has ended', () => {
  test('is valid within what was published, and says when it ended, at what size, and what goes on', async () => {
    const result = await verified(ended());
    expect(failed(result)).toEqual([]);
    expect(result.facts).toMatchObject({
      log_ended_at: '2026-11-23T10:00:00.000Z',
      log_kept_size: 13,
      log_published_size: 40,
      log_successor: 'log.example/acuse-2',
    });
    expect(endOf(result)?.detail).toContain(
      'log log.example/acuse ended at 2026-11-23T10:00:00.000Z with 13 of the 40 leaves',
    );
  });

  test('is valid up to the last leaf that was published, whichever of the two trees is longer', async () => {
    for (const at of ['kept', 'published'] as const) {
      const other = at === 'kept' ? 'published' : 'kept';
      const short = { size: 3, rootHash: root(3) };
      const result = await verified(ended({ [at]: { size: 21, rootHash }, [other]: short }));
      expect(failed(result), at).toEqual([]);
    }
  });

  test('beyond that fails, though all else holds: an outcome counts as the message does', async () => {
    const result = await verified(ended({ published: { size: 20, rootHash: root(2) } }));
    expect(failed(result)).toEqual(['log_end']);
    expect(endOf(result)?.detail).toMatch(/in a tree of 21 leaves.* with 20 published/);
    expect(result.valid).toBe(false);
    expect(result.facts).not.toHaveProperty('log_ended_at');
  });

  test('of another tree than the one that ended fails', async () => {
    for (const at of ['kept', 'published'] as const) {
      const result = await verified(ended({ [at]: { size: 21, rootHash: root(9) } }));
      expect(failed(result), at).toEqual(['log_end']);
      expect(endOf(result)?.detail).toContain('another tree of 21 leaves');
    }
    // A log that contradicted itself shows one and had published the other: both are its own.
    const forked = { kept: { size: 21, rootHash }, published: { size: 21, rootHash: root(9) } };
    expect(failed(await verified(ended(forked)))).toEqual([]);
  });

  test('holds no statement against it that is of another log, of another key or changed', async () => {
    // Of the same name, which every installation may give its own log.
    const otherLog = ended({}, signerFor('other.example/log'));
    const otherKey = ended(
      { published: { size: 1, rootHash: root(2) } },
      signerFor(logSigner.name, 'another'),
    );
    const changed = ended().replace('\n40 ', '\n1 ');
    const result = await verified(otherLog, otherKey, changed, 'nothing');
    expect(failed(result)).toEqual([]);
    expect(endOf(result)).toBeUndefined();
    expect(endOf(await verified(otherLog, otherKey, ended()))).toMatchObject({ ok: true });
  });

  test('of two statements of it, each is held against it', async () => {
    const later = ended({ published: { size: 20, rootHash: root(2) } });
    for (const both of [
      [ended(), later],
      [later, ended()],
    ])
      expect(failed(await verified(...both))).toEqual(['log_end']);
  });
});

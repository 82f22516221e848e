import { describe, expect, test } from 'vitest';
import { utf8 } from '../src/bytes.ts';
import { openCheckpoint } from '../src/checkpoint.ts';
import { inclusionProof, leafHash, rangeHashOf } from '../src/merkle.ts';
import { issuePromise, issuePromises, openPromise } from '../src/promise.ts';
import { MAX_PROMISE_GROUP } from '../src/promise-group.ts';
import { parseTlogProof } from '../src/tlog-proof.ts';
import { verifierKey } from '../src/verifier-key.ts';
import { expectRefusal, sha256, signerFor } from './support.ts';

const log = signerFor('log.example/acuse');
const logKey = verifierKey(log.name, log.publicKey, sha256);
const terms = { origin: log.name, deadline: 1_800_000_000 };
const hashes = Array.from({ length: 70 }, (_, n) => sha256(utf8(`entry ${n}`)));

describe('promises of a group', () => {
  test('open to their own entries in groups of every size, with one signature', () => {
    for (let size = 2; size <= hashes.length; size++) {
      const promises = issuePromises(terms, hashes.slice(0, size), log, sha256);
      expect(promises.length).toBe(size);
      expect(new Set(promises.map((promise) => promise.slice(promise.indexOf('\n\n')))).size).toBe(1);
      for (const [at, promise] of promises.entries())
        expect(openPromise(promise, [logKey], sha256)).toEqual({ ...terms, canonicalHash: hashes[at] });
    }
  });

  test('are those of the tree of RFC 6962', () => {
    const leaves = hashes.map((hash) =>
      leafHash(new Uint8Array([...utf8('acuse/promise/v2\n'), ...hash]), sha256),
    );
    const ranges = rangeHashOf(leaves, sha256);
    const promises = issuePromises(terms, hashes, log, sha256);
    for (const [at, promise] of promises.entries()) {
      const lines = promise.slice(0, promise.indexOf('\n\n')).split('\n').slice(3);
      const path = inclusionProof(at, hashes.length, ranges);
      expect(lines).toEqual(path.map((hash) => Buffer.from(hash).toString('base64')));
    }
  });

  test('are the same each time; one alone is promised by itself, none not at all', () => {
    expect(issuePromises(terms, hashes, log, sha256)).toEqual(issuePromises(terms, hashes, log, sha256));
    const alone = issuePromise({ ...terms, canonicalHash: hashes[0]! }, log, sha256);
    expect(issuePromises(terms, hashes.slice(0, 1), log, sha256)).toEqual([alone]);
    expect(issuePromises(terms, [], log, sha256)).toEqual([]);
  });

  test('every byte counts', () => {
    const bytes = utf8(issuePromises(terms, hashes.slice(0, 5), log, sha256)[4]!);
    for (let i = 0; i < bytes.length; i++) {
      const mutant = Uint8Array.from(bytes);
      mutant[i]! ^= 1;
      expect(() => openPromise(mutant, [logKey], sha256)).toThrow(/note|promise|inclusion/);
    }
  });

  test('pass for nothing else', () => {
    const note = issuePromises(terms, hashes, log, sha256)[3]!;
    expectRefusal(() => openCheckpoint(note, [logKey]), 'note');
    expectRefusal(() => openCheckpoint(note.slice(note.indexOf('\n\n') + 2), [logKey]), 'checkpoint');
    expectRefusal(() => parseTlogProof(utf8(note)), 'proof');
  });

  test('are refused where the log cannot give them', () => {
    expectRefusal(() => issuePromises({ ...terms, origin: 'other' }, hashes, log, sha256), 'promise');
    expectRefusal(() => issuePromises({ ...terms, deadline: 0 }, hashes, log, sha256), 'promise');
    const many = Array<Uint8Array>(MAX_PROMISE_GROUP + 1).fill(hashes[0]!);
    expectRefusal(() => issuePromises(terms, many, log, sha256), 'promise');
    expectRefusal(() => issuePromises(terms, [hashes[0]!, hashes[1]!.subarray(1)], log, sha256), 'promise');
  });
});

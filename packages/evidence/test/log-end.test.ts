import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../src/checkpoint.ts';
import { type LogEnd, openLogEnd, signLogEnd } from '../src/log-end.ts';
import type { Signer } from '../src/note.ts';
import { openPromise } from '../src/promise.ts';
import { verifierKey } from '../src/verifier-key.ts';

/** The end of a log is believed by the key of the log that ended, and is nothing else. */

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());
function signer(name: string): Signer {
  const pair = generateKeyPairSync('ed25519');
  const key = createPrivateKey(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const publicKey = new Uint8Array(
    Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url'),
  );
  return { name, publicKey, sign: (bytes) => sign(null, bytes, key) };
}
const keyOf = ({ name, publicKey }: Signer) => verifierKey(name, publicKey, sha256);
const [old, next, other] = [signer('a.test/log'), signer('a.test/log-2'), signer('a.test/log')];
const end: LogEnd = {
  origin: 'a.test/log',
  kept: { size: 3, rootHash: sha256(Uint8Array.of(1)) },
  published: { size: 9, rootHash: sha256(Uint8Array.of(2)) },
  endedAt: new Date('2026-11-23T10:00:00.000Z'),
  successor: keyOf(next),
  reason: 'disk lost',
};

describe('the end of a log', () => {
  it('reads as it was signed, with the key of the log or its name', () => {
    const note = signLogEnd(end, [old, next], sha256);
    expect(openLogEnd(note, keyOf(old), sha256)).toEqual(end);
    expect(openLogEnd(note, { name: 'a.test/log' }, sha256)).toEqual(end);
  });

  it('is of no other key, of no other log, and signed by both', () => {
    const note = signLogEnd(end, [old, next], sha256);
    expect(() => openLogEnd(note, keyOf(other), sha256)).toThrow(/not signed by/);
    expect(() => openLogEnd(note, { name: 'b.test/log' }, sha256)).toThrow(/another log/);
    const lines = note.split('\n');
    const without = (name: string) => lines.filter((line) => !line.startsWith(`— ${name} `)).join('\n');
    expect(() => openLogEnd(without('a.test/log'), keyOf(old), sha256)).toThrow(/not signed by/);
    expect(() => openLogEnd(without('a.test/log-2'), keyOf(old), sha256)).toThrow(/not signed by/);
    for (const [at, changed] of [
      [2, lines[2]!.replace('3', '4')],
      [3, lines[3]!.replace('9', '8')],
      [4, '2026-11-23T11:00:00.000Z'],
      [6, 'another'],
    ] as const)
      expect(() => openLogEnd(lines.with(at, changed).join('\n'), keyOf(old), sha256)).toThrow(
        /does not verify/,
      );
  });

  it('is no checkpoint and no promise', () => {
    const note = signLogEnd(end, [old, next], sha256);
    expect(() => openCheckpoint(note, [keyOf(old)])).toThrow();
    expect(() => openPromise(note, [keyOf(old)], sha256)).toThrow();
  });

  it('is refused where it is malformed', () => {
    const bad: Partial<LogEnd>[] = [
      { reason: '' },
      { reason: 'x'.repeat(1001) },
      { reason: 'two\nlines' },
      { kept: { size: -1, rootHash: end.kept.rootHash } },
      { kept: { size: 3, rootHash: new Uint8Array(31) } },
      { published: { size: 2 ** 53, rootHash: end.kept.rootHash } },
      { successor: keyOf(old) },
    ];
    for (const part of bad)
      expect(() =>
        signLogEnd({ ...end, ...part }, [old, part.successor === undefined ? next : old], sha256),
      ).toThrow();
  });
});

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { expect } from 'vitest';
import type { Sha256 } from '../src/bytes.ts';
import { EvidenceError } from '../src/errors.ts';
import type { Signer } from '../src/note.ts';

export const sha256: Sha256 = (data) => new Uint8Array(createHash('sha256').update(data).digest());

/** A key that a test can make again from its name alone. */
export function signerFor(name: string, seed = name): Signer {
  const secretKey = sha256(Buffer.from(seed));
  return {
    name,
    publicKey: ed25519.getPublicKey(secretKey),
    sign: (message) => ed25519.sign(message, secretKey),
  };
}

/** Where the corpora lie, or undefined: then the tests over them are skipped, and say so. */
export function corpus(name: string): string | undefined {
  const root = process.env['ACUSE_CORPORA'] ?? resolve(import.meta.dirname, '../../../../shared/corpora');
  const folder = resolve(root, name);
  return existsSync(folder) ? folder : undefined;
}

export function expectRefusal(run: () => unknown, check: string, detail: RegExp = /./): void {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(EvidenceError);
  const error = thrown as EvidenceError;
  expect([error.check, error.detail]).toEqual([check, expect.stringMatching(detail)]);
}

import { EvidenceError } from '@acuse/evidence/errors';
import {
  ED25519,
  MLDSA44,
  parseVerifierKey,
  type SignatureType,
  type VerifierKey,
} from '@acuse/evidence/verifier-key';
import { sha256 } from '../platform/sha256.ts';
import { CommandError, EXIT } from './command.ts';
import { readInput } from './files.ts';

const FILE_MAX_BYTES = 256 * 1024;

/** Those of a log, as `/log/key` has them. */
interface GivenLogKeys {
  readonly keys: readonly VerifierKey[];
  /** The ML-DSA-44 keys. */
  readonly second: readonly VerifierKey[];
}

export function readLogKeys(given: string): GivenLogKeys {
  const all = readVerifierKeys(given, ED25519, MLDSA44);
  return {
    keys: all.filter(({ type }) => type === ED25519),
    second: all.filter(({ type }) => type === MLDSA44),
  };
}

/** A key (with a plus), or a file with one per line and # comments. */
export function readVerifierKeys(given: string, ...types: readonly SignatureType[]): VerifierKey[] {
  const isKey = /^[^+]+\+[0-9a-f]{8}\+/.test(given.trim());
  const text = isKey ? given : Buffer.from(readInput(given, FILE_MAX_BYTES)).toString('utf8');
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => readOne(line, types));
}

function readOne(line: string, types: readonly SignatureType[]): VerifierKey {
  try {
    const key = parseVerifierKey(line, sha256);
    if (types.includes(key.type)) return key;
    throw new EvidenceError('key', `of type ${key.type}, expected ${types.join(' or ')}`);
  } catch (cause) {
    if (!(cause instanceof EvidenceError)) throw cause;
    throw new CommandError(
      EXIT.usage,
      'invalid_key',
      `${JSON.stringify(line.slice(0, 80))} is not a valid key: ${cause.detail}`,
      { cause },
    );
  }
}

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signEd25519,
} from 'node:crypto';
import { equalBytes } from '@acuse/evidence/bytes';
import type { Signer } from '@acuse/evidence/note';
import { formatVerifierKey, type VerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { sha256 } from '../../platform/sha256.ts';
import { findLog, findLogByOrigin, insertLog, type LogRow, type NewLog } from './log-store.ts';
import { openSecondKey, type SecondKey } from './second-key.ts';
import { secretContext } from './secret-context.ts';

export interface LogSigner {
  readonly logId: string;
  /** First line of every checkpoint, and the signatures' name. C2SP tlog-checkpoint */
  readonly origin: string;
  readonly key: VerifierKey;
  /** The key in one line, for tlog clients. C2SP signed-note */
  readonly vkey: string;
  readonly signer: Signer;
  readonly second: SecondKey | null;
  /** For a successor: earlier messages are not its own. */
  readonly begunAt: Date | null;
}

export interface LogKeyDeps extends DbAndClock {
  readonly secrets: SecretBox;
}

/**
 * The installation's log, created if the origin has none; concurrent starts agree on one. `sandbox`: marks a
 * new one. Throws if the stored key is not the log's.
 */
export async function openLog(deps: LogKeyDeps, origin: string, sandbox = false): Promise<LogSigner> {
  // In a transaction, for its barrier: a key lost in a failover must not have signed anything.
  const find = () => deps.db.transact((tx) => findNewestLog(tx, origin));
  const known = await find();
  if (known !== undefined) return toSigner(known, deps.secrets);
  await insertLog(deps.db, { ...generateLog(origin, deps.secrets), sandbox }, deps.clock.now());
  // Read back: another process may have created it first.
  const made = await find();
  if (made === undefined) throw new Error(`log ${origin} was not stored`);
  return toSigner(made, deps.secrets);
}

/** The log of this origin, or its latest successor. */
async function findNewestLog(tx: Tx, origin: string): Promise<LogRow | undefined> {
  let row = await findLogByOrigin(tx, origin);
  // Successors are created later, so that this ends.
  while (row !== undefined && row.successorId !== null) row = await findLog(tx, row.successorId);
  return row;
}

/** An installation with a new origin still finishes its old log. */
async function openLogById(deps: LogKeyDeps, logId: string): Promise<LogSigner> {
  const row = await findLog(deps.db, logId);
  if (row === undefined) throw new Error(`no log ${logId}`);
  return toSigner(row, deps.secrets);
}

export function createLogs(deps: LogKeyDeps): (logId: string) => Promise<LogSigner> {
  const logs = new Map<string, Promise<LogSigner>>();
  return (logId) => {
    const known = logs.get(logId);
    if (known !== undefined) return known;
    const opening = openLogById(deps, logId);
    logs.set(logId, opening);
    // A failure is not cached.
    opening.catch(() => logs.delete(logId));
    return opening;
  };
}

export function generateLog(origin: string, secrets: SecretBox): NewLog {
  const logId = newId();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  return {
    logId,
    origin,
    publicKey: rawPublicKey(publicKey),
    privateKeySealed: secrets.seal(der, secretContext(logId)),
  };
}

export async function toSigner(row: LogRow, secrets: SecretBox): Promise<LogSigner> {
  if (row.successorId !== null) return endedSigner(row);
  const der = secrets.open(row.privateKeySealed, secretContext(row.logId));
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = rawPublicKey(createPublicKey(privateKey));
  // Signing with an unknown key would split the log.
  if (!equalBytes(publicKey, row.publicKey)) {
    throw new Error(`log ${row.origin}: its private key is not the one of its public key`);
  }
  const key = verifierKey(row.origin, publicKey, sha256);
  return {
    logId: row.logId,
    origin: row.origin,
    key,
    vkey: formatVerifierKey(key),
    signer: { name: row.origin, publicKey, sign: (bytes) => signEd25519(null, bytes, privateKey) },
    second: await openSecondKey(row, secrets),
    begunAt: row.begunAt,
  };
}

/** Existing signatures remain verifiable. */
export function endedSigner({
  logId,
  origin,
  publicKey,
  begunAt,
}: Pick<LogRow, 'logId' | 'origin' | 'publicKey' | 'begunAt'>): LogSigner {
  const key = verifierKey(origin, publicKey, sha256);
  const sign = (): never => {
    throw new Error(`log ${origin} has ended, and its key was destroyed`);
  };
  return {
    logId,
    origin,
    key,
    vkey: formatVerifierKey(key),
    signer: { name: origin, publicKey, sign },
    second: null,
    begunAt,
  };
}

function rawPublicKey(key: KeyObject): Uint8Array {
  return Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
}

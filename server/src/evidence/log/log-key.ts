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
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { sha256 } from '../../platform/sha256.ts';
import { findLog, findLogByOrigin, insertLog, type LogRow, type NewLog } from './log-store.ts';

/** A log's name and the key that speaks for it. */
export interface LogSigner {
  readonly logId: string;
  /** First line of every checkpoint, and the name in its signatures. C2SP tlog-checkpoint */
  readonly origin: string;
  readonly key: VerifierKey;
  /** `key` as the one line that tlog clients are configured with. C2SP signed-note */
  readonly vkey: string;
  /** For notes: `sign` uses a key object parsed once. */
  readonly signer: Signer;
  /** Of one that goes on after the end of another: what was accepted before is not of this log. */
  readonly begunAt: Date | null;
}

export interface LogKeyDeps {
  readonly db: Db;
  readonly secrets: SecretBox;
  readonly clock: Clock;
}

/**
 * The installation's log, made when its origin has none yet; processes that start at once agree on one.
 * `sandbox`: begun there, and marked so. Throws when the stored key is not the one that the log is known by.
 */
export async function openLog(deps: LogKeyDeps, origin: string, sandbox = false): Promise<LogSigner> {
  // In a transaction, for its barrier: a key that a failover takes away must not have signed anything.
  const find = () => deps.db.transact((tx) => findNewestLog(tx, origin));
  const known = await find();
  if (known !== undefined) return toSigner(known, deps.secrets);
  await insertLog(deps.db, { ...generateLog(origin, deps.secrets), sandbox }, deps.clock.now());
  // Read back, for another process may have been first: its key is the log's then, and ours is forgotten
  // unused.
  const made = await find();
  if (made === undefined) throw new Error(`log ${origin} was not stored`);
  return toSigner(made, deps.secrets);
}

/** The log of this origin, or the one that goes on after its end. */
async function findNewestLog(tx: Tx, origin: string): Promise<LogRow | undefined> {
  let row = await findLogByOrigin(tx, origin);
  // Each is made with the end of the one before, so that this ends.
  while (row !== undefined && row.successorId !== null) row = await findLog(tx, row.successorId);
  return row;
}

/** A log by id: an installation that changed its origin still finishes the log that it had. */
async function openLogById(deps: LogKeyDeps, logId: string): Promise<LogSigner> {
  const row = await findLog(deps.db, logId);
  if (row === undefined) throw new Error(`no log ${logId}`);
  return toSigner(row, deps.secrets);
}

/** Logs by id, each opened once. */
export function createLogs(deps: LogKeyDeps): (logId: string) => Promise<LogSigner> {
  const logs = new Map<string, Promise<LogSigner>>();
  return (logId) => {
    const known = logs.get(logId);
    if (known !== undefined) return known;
    const opening = openLogById(deps, logId);
    logs.set(logId, opening);
    // A failure (a database that is restarting) is not remembered.
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

export function toSigner(row: LogRow, secrets: SecretBox): LogSigner {
  if (row.successorId !== null) return endedSigner(row);
  const der = secrets.open(row.privateKeySealed, secretContext(row.logId));
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = rawPublicKey(createPublicKey(privateKey));
  // Continuing with a key that nobody knows would split the log in two.
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
    begunAt: row.begunAt,
  };
}

/** What it has signed can be read and verified. */
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
    begunAt,
  };
}

function rawPublicKey(key: KeyObject): Uint8Array {
  return Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
}

export function secretContext(logId: string): string {
  return `log:${logId}`;
}

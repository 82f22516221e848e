/** The trust of a verifier: the logs, the time-stamping authorities and the witnesses that it pins. */
import type { Sha256 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { type Json, jcs, jcsBytes } from './jcs.ts';
import { readArray, readInteger, readObject, readOneOf, readString } from './read-json.ts';
import { readTimeStampPolicy } from './timestamp/manifest.ts';
import type { TimeStampPolicy } from './timestamp/policy.ts';
import {
  COSIGNATURE_V1,
  ED25519,
  formatVerifierKey,
  MLDSA44,
  parseVerifierKey,
  sameWitness,
  type VerifierKey,
} from './verifier-key.ts';
import { readWindow, type Window } from './window.ts';
import { ownWitness } from './witness.ts';

export const POLICY_TYPE = 'acuse/policy/v1';

const MAX_PINNED = 16;

/** A key and when it is trusted: at the time of what it signed, as a time-stamp over that says. */
export type PinnedKey = VerifierKey & Window;

/**
 * A log's key bears the log's origin as its name. `mldsa44Keys`: of logs that sign with ML-DSA-44 as well;
 * what they sign while such a key is trusted must have its signature too. `witnessQuorum`: how many witnesses
 * must have cosigned a checkpoint, as configured. `witnessReached`: how many had when a bundle was made, if
 * that was fewer; the operator's own word, for the policy in a bundle alone.
 */
export type TrustPolicy = {
  logKeys: readonly PinnedKey[];
  mldsa44Keys?: readonly PinnedKey[];
  timeStamps: readonly TimeStampPolicy[];
  witnessKeys: readonly PinnedKey[];
  witnessQuorum: number;
  witnessReached?: number;
};

/** `policy.json`, canonical. */
export function formatTrustPolicy(policy: TrustPolicy): Uint8Array {
  return jcsBytes({
    log_keys: [...policy.logKeys, ...(policy.mldsa44Keys ?? [])].map(formatPinnedKey),
    time_stamps: policy.timeStamps,
    type: POLICY_TYPE,
    witness_keys: policy.witnessKeys.map(formatPinnedKey),
    witness_quorum: policy.witnessQuorum,
    ...(policy.witnessReached !== undefined && { witness_reached: policy.witnessReached }),
  });
}

function formatPinnedKey({ from, until, ...key }: PinnedKey) {
  return {
    key: formatVerifierKey(key),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  };
}

/**
 * The policy of a verifier's own: it asks for its whole quorum, whatever the bundle that it was taken from
 * had reached. Throws as below.
 */
export function readPinnedPolicy(value: Json, sha256: Sha256): TrustPolicy {
  const { witnessReached: _, ...policy } = readTrustPolicy(value, sha256);
  return policy;
}

/**
 * True if a policy names nobody outside `own`. An authority must be the same to the letter, because a wider
 * one may accept other authorities' stamps. Windows of keys say less, never more.
 */
export function namesOnly(policy: TrustPolicy, own: TrustPolicy): boolean {
  const keysOf = ({ logKeys, mldsa44Keys = [], witnessKeys }: TrustPolicy) =>
    [...logKeys, ...mldsa44Keys, ...witnessKeys].map(formatVerifierKey);
  const keys = new Set(keysOf(own));
  const authorities = new Set(own.timeStamps.map(textOf));
  return (
    keysOf(policy).every((key) => keys.has(key)) &&
    policy.timeStamps.every((authority) => authorities.has(textOf(authority)))
  );
}

const textOf = (authority: TimeStampPolicy): string => jcs(authority as unknown as Json);

/** From a JSON value, canonical or not. Throws EvidenceError `policy` or `key`, naming the field. */
export function readTrustPolicy(value: Json, sha256: Sha256): TrustPolicy {
  const check = 'policy';
  const fields = ['log_keys', 'time_stamps', 'type', 'witness_keys', 'witness_quorum'];
  const root = readObject(value, check, fields, ['witness_reached']);
  readOneOf(root['type'], check, 'type', [POLICY_TYPE]);
  const readKeys = (name: string, ...types: readonly number[]) =>
    readArray(root[name], check, name, MAX_PINNED).map((entry): PinnedKey => {
      // A text alone is the form of older bundles: a key without a window.
      const pinned = readObject(
        typeof entry === 'string' ? { key: entry } : entry,
        check,
        ['key'],
        ['from', 'until'],
      );
      const key = parseVerifierKey(readString(pinned['key'], check, name), sha256);
      if (!types.includes(key.type)) throw new EvidenceError(check, `${name} has a key of the wrong type`);
      return { ...key, ...readWindow(pinned, check) };
    });
  const listed = readKeys('log_keys', ED25519, MLDSA44);
  const logKeys = listed.filter(({ type }) => type === ED25519);
  const mldsa44Keys = listed.filter(({ type }) => type === MLDSA44);
  const witnessKeys = readKeys('witness_keys', COSIGNATURE_V1);
  const twice = sameWitness(witnessKeys) ?? ownWitness(witnessKeys, logKeys);
  if (twice !== undefined) throw new EvidenceError(check, `witness_keys has ${twice}`);
  const witnessQuorum = readInteger(root['witness_quorum'], check, 'witness_quorum');
  const stated = root['witness_reached'];
  const witnessReached = stated === undefined ? undefined : readInteger(stated, check, 'witness_reached');
  if (witnessReached !== undefined && (witnessReached < 0 || witnessReached >= witnessQuorum))
    throw new EvidenceError(check, 'witness_reached is not a number below witness_quorum');
  return {
    logKeys,
    ...(mldsa44Keys.length > 0 && { mldsa44Keys }),
    timeStamps: readArray(root['time_stamps'], check, 'time_stamps', MAX_PINNED).map(readTimeStampPolicy),
    witnessKeys,
    witnessQuorum,
    ...(witnessReached !== undefined && { witnessReached }),
  };
}

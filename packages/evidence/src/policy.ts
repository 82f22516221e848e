/** Whom a verifier trusts: the logs, the time-stamping authorities and the witnesses that it pins. */
import type { Sha256 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { type Json, jcsBytes } from './jcs.ts';
import { readArray, readInteger, readObject, readOneOf, readString } from './read-json.ts';
import { readTimeStampPolicy } from './timestamp/manifest.ts';
import type { TimeStampPolicy } from './timestamp/policy.ts';
import {
  COSIGNATURE_V1,
  ED25519,
  formatVerifierKey,
  parseVerifierKey,
  sameWitness,
  type VerifierKey,
} from './verifier-key.ts';

export const POLICY_TYPE = 'acuse/policy/v1';

/** Of each kind. */
const MAX_PINNED = 16;

/**
 * A log's key bears the log's origin as its name. `witnessQuorum`: how many witnesses must have cosigned a
 * checkpoint, as configured. `witnessReached`: how many had when a bundle was made, where that was fewer: the
 * operator's own word, for the policy in a bundle alone.
 */
export type TrustPolicy = {
  logKeys: readonly VerifierKey[];
  timeStamps: readonly TimeStampPolicy[];
  witnessKeys: readonly VerifierKey[];
  witnessQuorum: number;
  witnessReached?: number;
};

/** `policy.json`, canonical. */
export function formatTrustPolicy(policy: TrustPolicy): Uint8Array {
  return jcsBytes({
    log_keys: policy.logKeys.map(formatVerifierKey),
    time_stamps: policy.timeStamps,
    type: POLICY_TYPE,
    witness_keys: policy.witnessKeys.map(formatVerifierKey),
    witness_quorum: policy.witnessQuorum,
    ...(policy.witnessReached !== undefined && { witness_reached: policy.witnessReached }),
  });
}

/**
 * The policy of a verifier's own: it asks for its whole quorum, whatever the bundle that it was taken from
 * had reached. Throws as below.
 */
export function readPinnedPolicy(value: Json, sha256: Sha256): TrustPolicy {
  const { witnessReached: _, ...policy } = readTrustPolicy(value, sha256);
  return policy;
}

/** From a JSON value, canonical or not. Throws EvidenceError `policy` or `key`, naming the field. */
export function readTrustPolicy(value: Json, sha256: Sha256): TrustPolicy {
  const check = 'policy';
  const fields = ['log_keys', 'time_stamps', 'type', 'witness_keys', 'witness_quorum'];
  const root = readObject(value, check, fields, ['witness_reached']);
  readOneOf(root['type'], check, 'type', [POLICY_TYPE]);
  const readKeys = (name: string, type: number) =>
    readArray(root[name], check, name, MAX_PINNED).map((text) => {
      const key = parseVerifierKey(readString(text, check, name), sha256);
      if (key.type !== type) throw new EvidenceError(check, `${name} has a key of the wrong type`);
      return key;
    });
  const witnessKeys = readKeys('witness_keys', COSIGNATURE_V1);
  const twice = sameWitness(witnessKeys);
  if (twice !== undefined) throw new EvidenceError(check, `witness_keys has ${twice}`);
  const witnessQuorum = readInteger(root['witness_quorum'], check, 'witness_quorum');
  const stated = root['witness_reached'];
  const witnessReached = stated === undefined ? undefined : readInteger(stated, check, 'witness_reached');
  if (witnessReached !== undefined && (witnessReached < 0 || witnessReached >= witnessQuorum))
    throw new EvidenceError(check, 'witness_reached is not a number below witness_quorum');
  return {
    logKeys: readKeys('log_keys', ED25519),
    timeStamps: readArray(root['time_stamps'], check, 'time_stamps', MAX_PINNED).map(readTimeStampPolicy),
    witnessKeys,
    witnessQuorum,
    ...(witnessReached !== undefined && { witnessReached }),
  };
}

/** Second signatures: which keys must have signed, and what checks that they did. */
import { EvidenceError } from './errors.ts';
import { loadMldsa44, type VerifyMldsa44 } from './mldsa44.ts';
import type { PinnedKey, TrustPolicy } from './policy.ts';
import type { Verifying } from './verify-context.ts';
import { isWithin } from './window.ts';

/**
 * `own`: keys of the service that is asked, if the bundle names nobody else. They are required too, so that a
 * bundle whose policy leaves them out still needs the signature.
 */
export async function secondSignatures(
  { mldsa44Keys: listed = [] }: Pick<TrustPolicy, 'mldsa44Keys'>,
  own?: TrustPolicy,
  mldsa44?: VerifyMldsa44,
): Promise<Pick<Verifying, 'mldsa44Keys' | 'mldsa44'>> {
  const mldsa44Keys = [...listed, ...(own?.mldsa44Keys ?? [])];
  if (mldsa44Keys.length === 0) return { mldsa44Keys, mldsa44: () => false };
  return { mldsa44Keys, mldsa44: mldsa44 ?? (await loadMldsa44()).verify };
}

/** The ML-DSA-44 keys under this name that must have signed what was signed then. */
export function requiredMldsa44(
  { mldsa44Keys }: Pick<Verifying, 'mldsa44Keys'>,
  name: string,
  at: Date,
): readonly PinnedKey[] {
  return mldsa44Keys.filter((key) => key.name === name && isWithin(key, at));
}

/**
 * Keys required of the counter of a message's outcomes: `log` itself, or its successor. The end of a log,
 * which names the successor, has no second signature: it must not excuse the count from one, whatever T it
 * states. Throws EvidenceError `outcomes`.
 */
export function requiredOfCounter(
  context: Pick<Verifying, 'mldsa44Keys'>,
  log: string,
  counter: string,
  at: Date,
): readonly PinnedKey[] {
  if (counter === log || requiredMldsa44(context, log, at).length === 0)
    return requiredMldsa44(context, counter, at);
  const listed = context.mldsa44Keys.filter(({ name }) => name === counter);
  if (listed.length === 0)
    throw new EvidenceError('outcomes', 'counted by a log that has no ML-DSA-44 key, as the ended one had');
  return listed;
}

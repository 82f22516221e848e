import type { KeyObject } from 'node:crypto';
import { type DkimAlgorithm, generateDkimKey } from '@acuse/mail/dkim-keys';

/** Keys of RSA: a domain that changes its keys gets other ones. */
const KEPT = 4;
const kept: Promise<KeyObject>[] = [];
let taken = 0;

/**
 * A DKIM key for a test that is not about making one: a new one of RSA takes a tenth of a second of the
 * processor, so that the files of a worker take turns with a few.
 */
export function dkimKeyForTests(algorithm: DkimAlgorithm): Promise<KeyObject> {
  if (algorithm !== 'rsa-sha256') return generateDkimKey(algorithm);
  const at = taken++ % KEPT;
  kept[at] ??= generateDkimKey(algorithm);
  return kept[at];
}

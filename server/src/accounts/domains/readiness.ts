import {
  type CheckedRecord,
  type DkimKeyFacts,
  dkimRecordName,
  wantedRecords,
  withLastStatus,
} from './records.ts';
import type { DomainStatus } from './status.ts';

/**
 * Whether receivers can check the mail of a domain. pending: not verified yet; ready: verified, and signed
 * with keys that are in the DNS; degraded: a record that its mail is judged by is missing.
 */
export type Readiness = 'pending' | 'degraded' | 'ready';

export interface ReadinessFacts {
  name: string;
  status: DomainStatus;
  challenge: string;
  keys: readonly DkimKeyFacts[];
  /** What the last look-up found. */
  records: readonly CheckedRecord[];
}

/**
 * The one place that says so: for the API, the portal, the commands, doctor and the send path. `failing`:
 * what to publish, or to repair. What nobody looked up, or a resolver failed at, is believed of a verified
 * domain: an operator vouched for it, or it was seen before. Pure.
 */
export function judgeReadiness(domain: ReadinessFacts): { readiness: Readiness; failing: CheckedRecord[] } {
  const { name, status, keys } = domain;
  const waiting = keysThatShouldSign(keys);
  const judged = new Map(keys.map((key) => [dkimRecordName(key.selector, name), key]));
  const failing = withLastStatus(wantedRecords(domain, keys, null), domain.records).filter((record) => {
    const key = judged.get(record.name);
    if (record.purpose === 'dkim' ? key?.status !== 'active' && !waiting.includes(key!) : !record.required)
      return false;
    if (status === 'pending' || key?.status === 'pending') return record.status !== 'found';
    return record.status === 'missing' || record.status === 'mismatch';
  });
  if (status === 'pending') return { readiness: 'pending', failing };
  return { readiness: status === 'verified' && failing.length === 0 ? 'ready' : 'degraded', failing };
}

/**
 * Keys that wait while none of theirs signs. Of RSA alone: every receiver checks it, few check Ed25519. RFC
 * 8463 §1
 */
function keysThatShouldSign(keys: readonly DkimKeyFacts[]): DkimKeyFacts[] {
  const rsa = keys.filter(({ algorithm }) => algorithm === 'rsa-sha256');
  return rsa.some(({ status }) => status === 'active')
    ? []
    : rsa.filter(({ status }) => status === 'pending');
}

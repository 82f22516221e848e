import {
  type CheckedRecord,
  type DkimKeyFacts,
  dkimRecordName,
  wantedRecords,
  withLastStatus,
} from './records.ts';
import type { DomainStatus } from './status.ts';

/** pending: never verified; ready: verified, and signing keys are in DNS; degraded: a record is missing. */
export type Readiness = 'pending' | 'degraded' | 'ready';

export interface ReadinessFacts {
  name: string;
  status: DomainStatus;
  challenge: string;
  keys: readonly DkimKeyFacts[];
  records: readonly CheckedRecord[];
}

/**
 * The single definition, for API, portal, commands, doctor and sending. `failing`: records to publish.
 * Records never checked, or with a failed look-up, count as present. Pure.
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

/** RSA only: every receiver checks it, few check Ed25519. RFC 8463 §1 */
function keysThatShouldSign(keys: readonly DkimKeyFacts[]): DkimKeyFacts[] {
  const rsa = keys.filter(({ algorithm }) => algorithm === 'rsa-sha256');
  return rsa.some(({ status }) => status === 'active')
    ? []
    : rsa.filter(({ status }) => status === 'pending');
}

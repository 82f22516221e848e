import { judgeReadiness } from './readiness.ts';
import { dkimRecordName, wantedRecords, withLastStatus } from './records.ts';
import type { Domain } from './store.ts';

export function presentDomain(domain: Domain, returnPathHost: string | null) {
  const keys = new Map(domain.keys.map((key) => [dkimRecordName(key.selector, domain.name), key.status]));
  const records = withLastStatus(wantedRecords(domain, domain.keys, returnPathHost), domain.records);
  const { readiness, failing } = judgeReadiness(domain);
  return {
    id: domain.domainId,
    name: domain.name,
    status: domain.status,
    readiness,
    failing_records: failing.map((record) => record.name),
    records: records.map((record) => ({ ...record, key_status: keys.get(record.name) ?? null })),
    created_at: domain.createdAt.toISOString(),
    verified_at: domain.verifiedAt?.toISOString() ?? null,
    checked_at: domain.checkedAt?.toISOString() ?? null,
    grace_until: domain.graceUntil?.toISOString() ?? null,
  };
}

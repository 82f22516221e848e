import { requireById } from '../../platform/http/own-rows.ts';
import { type AuditEntry, appendAccountEvent } from '../audit/append.ts';
import type { DomainDns } from './dns.ts';
import { judgeReadiness, type Readiness } from './readiness.ts';
import { type CheckedRecord, dkimRecordName, wantedRecords } from './records.ts';
import { type DomainDeps, heldElsewhere } from './register.ts';
import { decideStanding, lookAgainSoon, stayUnverified } from './status.ts';
import {
  activateKeys,
  beginCheck,
  claimName,
  type Domain,
  deleteRetiredKeys,
  findDomain,
  holdCheck,
  recordCheck,
  releaseName,
} from './store.ts';

export interface VerifyDeps extends DomainDeps {
  dns: DomainDns;
  returnPathHost: string | null;
}

/** The last retry's five days, and a margin. */
export const RETIRED_KEY_KEPT_MS = 7 * 24 * 3_600_000;

/** `taken`: the name is another tenant's; `lost_lease`: superseded. */
type CheckOutcome = 'recorded' | 'taken' | 'lost_lease';

export interface Checked {
  tenantId: string;
  domain: Domain;
  records: CheckedRecord[];
  at: Date;
}

export async function verifyDomain(deps: VerifyDeps, tenantId: string, domainId: string): Promise<Domain> {
  const domain = await requireById(deps.db, tenantId, domainId, beginCheck);
  const outcome = await recordChecked(deps, await checkDomain(deps, tenantId, domain));
  if (outcome === 'taken') throw heldElsewhere(domain.name);
  // Superseded: the newer result is as good.
  return requireById(deps.db, tenantId, domainId, findDomain);
}

/** Outside transactions. */
export async function checkDomain(deps: VerifyDeps, tenantId: string, domain: Domain): Promise<Checked> {
  const records = await deps.dns.check(wantedRecords(domain, domain.keys, deps.returnPathHost));
  return { tenantId, domain, records, at: deps.clock.now() };
}

export async function recordChecked(
  deps: VerifyDeps,
  { tenantId, domain, records, at }: Checked,
): Promise<CheckOutcome> {
  const { domainId, name } = domain;
  const outcome = await deps.db.transact(async (tx): Promise<CheckOutcome> => {
    if (!(await holdCheck(tx, tenantId, domainId, domain.checkAttempt))) return 'lost_lease';
    const decided = decideStanding(domain, records, at);
    const taken = decided.status === 'verified' && !(await claimName(tx, tenantId, domainId, name));
    const standing = taken ? stayUnverified(domain, at) : decided;
    if (standing.status === 'failing') await releaseName(tx, tenantId, name);
    const { readiness, failing } = judgeReadiness({ ...domain, status: standing.status, records });
    const degradedSince = readiness === 'degraded' ? (domain.degradedSince ?? at) : null;
    if (readiness === 'degraded') lookAgainSoon(standing, at);
    await recordCheck(tx, tenantId, domainId, { standing, records, degradedSince, at });
    if ((degradedSince === null) !== (domain.degradedSince === null))
      await appendAccountEvent(tx, tenantId, LOOK_UP, readinessEntry(name, readiness, failing), at);
    await activateKeys(tx, tenantId, domainId, published(domain, records), at);
    await deleteRetiredKeys(tx, tenantId, domainId, new Date(at.getTime() - RETIRED_KEY_KEPT_MS));
    return taken ? 'taken' : 'recorded';
  });
  if (outcome !== 'lost_lease') await deps.changes.announce('domain', tenantId + domain.name);
  return outcome;
}

const LOOK_UP = {
  kind: 'system',
  id: null,
  name: 'DNS look-up',
  clientAddress: null,
  requestId: null,
} as const;

function readinessEntry(name: string, readiness: Readiness, failing: readonly CheckedRecord[]): AuditEntry {
  const action = readiness === 'degraded' ? 'domain_degraded' : 'domain_ready';
  return { action, target: name, after: { failing_records: failing.map((record) => record.name) } };
}

function published(domain: Domain, records: readonly CheckedRecord[]): Domain['keys'] {
  const found = new Set(
    records
      .filter((record) => record.purpose === 'dkim' && record.status === 'found')
      .map((record) => record.name),
  );
  return domain.keys.filter(
    (key) => key.status === 'pending' && found.has(dkimRecordName(key.selector, domain.name)),
  );
}

import { createLoop, type Loop, type LoopLog } from '../platform/loop.ts';
import { claimDueDomains, type Domain, tenantsWithDueDomains } from './store.ts';
import { type Checked, checkDomain, recordChecked, type VerifyDeps } from './verify.ts';

/** Look-ups of a domain take some seconds at worst; after a lease the domain of a lost worker is due again. */
const LEASE_MS = 10 * 60_000;
/** How often to look for due domains: they are due by the day. */
const POLL_MS = 60_000;
const CONCURRENCY = 8;

/** Looks verified and failing domains up again when they are due. */
export function createDomainChecks(deps: VerifyDeps & { log: LoopLog; pollMs?: number }): Loop {
  const { db, clock } = deps;
  return createLoop<{ tenantId: string; domain: Domain }, Checked>({
    name: 'domain checks',
    clock,
    log: deps.log,
    pollMs: deps.pollMs ?? POLL_MS,
    concurrency: CONCURRENCY,
    shards: () => tenantsWithDueDomains(db, clock.now()),
    async claim(tenantId, limit) {
      const at = clock.now();
      const domains = await claimDueDomains(db, tenantId, at, new Date(at.getTime() + LEASE_MS), limit);
      return domains.map((domain) => ({ tenantId, domain }));
    },
    act: ({ tenantId, domain }) => checkDomain(deps, tenantId, domain),
    async record(results) {
      for (const checked of results) {
        const outcome = await recordChecked(deps, checked);
        if (outcome === 'taken')
          deps.log.warn(
            { tenantId: checked.tenantId, domain: checked.domain.name },
            'the records of a failing domain are back, but another tenant holds its name',
          );
      }
    },
  });
}

import type { LoopLog } from '../../platform/logger.ts';
import { createLeases, leaseEnd } from '../../platform/queue/leases.ts';
import { createLoop, type Loop } from '../../platform/queue/loop.ts';
import { claimDueDomains, type Domain, extendChecks, tenantsWithDueDomains } from './store.ts';
import { type Checked, checkDomain, recordChecked, type VerifyDeps } from './verify.ts';

/** Domains are due daily (ms). */
const POLL_MS = 60_000;
const CONCURRENCY = 8;

export function createDomainChecks(deps: VerifyDeps & { log: LoopLog; pollMs?: number }): Loop {
  const { db, clock, log } = deps;
  return createLoop<{ tenantId: string; domain: Domain }, Checked>({
    name: 'domain checks',
    clock,
    log,
    pollMs: deps.pollMs ?? POLL_MS,
    concurrency: CONCURRENCY,
    shards: () => tenantsWithDueDomains(db, clock.now()),
    async claim(tenantId, limit) {
      const domains = await claimDueDomains(db, tenantId, clock.now(), leaseEnd(clock), limit);
      return domains.map((domain) => ({ tenantId, domain }));
    },
    leases: createLeases({
      ...{ clock, log, name: 'domain checks' },
      keyOf: ({ domain }) => domain.domainId,
      extend: (checks) => extendChecks(db, checks, leaseEnd(clock)),
    }),
    act: ({ tenantId, domain }) => checkDomain(deps, tenantId, domain),
    async record(results) {
      for (const checked of results) {
        const outcome = await recordChecked(deps, checked);
        if (outcome === 'taken')
          log.warn(
            { tenantId: checked.tenantId, domain: checked.domain.name },
            'the records of a failing domain are back, but its name is now verified for another account',
          );
      }
    },
  });
}

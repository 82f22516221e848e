import { apiError } from '../../errors.ts';
import { type DomainDeps, readDomain } from './register.ts';
import { type Domain, findDomain, insertDkimKeys, lockDomain } from './store.ts';

/**
 * Makes new DKIM keys that wait for their records; the old ones sign until a look-up finds the new, and their
 * records stay listed for a week after. Asked again while new keys wait, it makes no others. Throws
 * not_found, unavailable.
 */
export async function rotateDkim(deps: DomainDeps, tenantId: string, domainId: string): Promise<Domain> {
  const domain = await readDomain(deps, tenantId, domainId);
  if (isRotating(domain)) return domain;
  const keys = await deps.dkimKeys.make(tenantId, deps.clock.now());
  return deps.db.asTenant(tenantId, async (tx) => {
    if (!(await lockDomain(tx, tenantId, domainId))) throw apiError('not_found');
    const now = (await findDomain(tx, tenantId, domainId))!;
    if (isRotating(now)) return now;
    await insertDkimKeys(tx, tenantId, domainId, keys);
    return (await findDomain(tx, tenantId, domainId))!;
  });
}

function isRotating(domain: Domain): boolean {
  return domain.keys.some((key) => key.status === 'pending');
}

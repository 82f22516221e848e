import { apiError } from '../../errors.ts';
import { type DomainDeps, readDomain } from './register.ts';
import { type Domain, findDomain, insertDkimKeys, lockDomain } from './store.ts';

/**
 * The old keys sign until the new records are found, and stay listed for a week. Pending keys are reused.
 * Throws not_found, unavailable.
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

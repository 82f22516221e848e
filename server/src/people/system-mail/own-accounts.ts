import { type DomainDeps, registerDomain } from '../../accounts/domains/register.ts';
import { findDomainByName } from '../../accounts/domains/store.ts';
import { createSender } from '../../accounts/senders/operations.ts';
import { ApiError } from '../../errors.ts';

/** The accounts that Acuse itself makes, in whichever process is first. */

const UNIQUE_VIOLATION = '23505';

/** Null when it was there already: another process made it. */
export async function unlessThere<T>(make: () => Promise<T>): Promise<T | null> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'conflict') return null;
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return null;
    throw error;
  }
}

export async function ensureDomain(
  deps: DomainDeps,
  tenantId: string,
  { domain, address }: { readonly domain: string; readonly address: string },
) {
  const find = () => findDomainByName(deps.db, tenantId, domain);
  const known =
    (await find()) ?? (await unlessThere(() => registerDomain(deps, tenantId, domain))) ?? (await find());
  if (known === null) throw new Error(`account ${tenantId} has no domain ${domain}`);
  await unlessThere(() => createSender(deps, tenantId, address));
  return known;
}

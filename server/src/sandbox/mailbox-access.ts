import { findTenant } from '../accounts/tenants/store.ts';
import { apiError } from '../errors.ts';
import type { Db } from '../platform/database/db.ts';
import type { Principal, Scope } from '../platform/http/http.ts';
import { isId } from '../platform/ids.ts';
import { findMail, type SandboxMailRow } from './store.ts';

export const READ: { scopes: readonly Scope[] } = { scopes: ['evidence:read'] };
export const DELETE: { scopes: readonly Scope[] } = { scopes: ['messages:send'] };

export async function mailOf(db: Db, id: string): Promise<SandboxMailRow> {
  const mail = isId(id) ? await findMail(db, id) : null;
  if (mail === null) throw apiError('not_found');
  return mail;
}

/** Any key of the sandbox account. Loopback proves nothing behind a proxy. */
export async function onlySandboxAccount(db: Db, { principal }: { principal: Principal }): Promise<void> {
  const tenant = await findTenant(db, principal.tenantId);
  // The mail of all accounts is here: for a key of another account it does not exist.
  if (tenant?.sandbox !== true) throw apiError('not_found');
}

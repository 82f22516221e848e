import { createApiKey, endApiKey } from '../../accounts/api-keys/operations.ts';
import { fromCommandLine } from '../../accounts/audit/append.ts';
import { presentDomain } from '../../accounts/domains/present.ts';
import { readDomains, registerDomain } from '../../accounts/domains/register.ts';
import type { Domain } from '../../accounts/domains/store.ts';
import { verifyDomain } from '../../accounts/domains/verify.ts';
import { createSender } from '../../accounts/senders/operations.ts';
import { createTenant, readTenants } from '../../accounts/tenants/operations.ts';
import { ApiError } from '../../errors.ts';
import { addOperator } from '../../people/operators/operators.ts';
import { issueLink } from '../../people/sessions/operator-issued-link.ts';
import { SCOPES } from '../../platform/http/http.ts';
import { MAX_PAGE_LIMIT, type Page } from '../../platform/http/page.ts';
import { type CommandServices, domainServices } from '../services.ts';
import { linkDeps } from '../users.ts';

/**
 * Creates what setup needs in the database, with the operations of the other commands. Existing rows are
 * kept.
 */

type Shown = ReturnType<typeof presentDomain>;

export async function ensureOperator(services: CommandServices, email: string): Promise<string | null> {
  const { db, clock, config } = services;
  const deps = { db, clock, adminUrl: () => config.adminUrl };
  const made = await unlessRefused('conflict', addOperator(deps, { email, name: '', role: 'admin' }));
  return made?.link.url ?? null;
}

export interface MadeAccount {
  readonly tenantId: string;
  /** Null: it was there, and its keys are known to its people. */
  readonly made: { readonly key: string; readonly ownerLink: string } | null;
}

export async function ensureAccount(
  services: CommandServices,
  name: string,
  owner: string,
): Promise<MadeAccount> {
  const named = await readTenants(services, null, MAX_PAGE_LIMIT, { named: name, status: null });
  const there = named.find((tenant) => tenant.name === name && !tenant.sandbox);
  if (there !== undefined) return { tenantId: there.tenantId, made: null };
  const { tenantId } = await createTenant(services, { name });
  const { key } = await createApiKey(services, tenantId, { name: 'first', scopes: SCOPES }, null);
  const input = { email: owner, membership: { tenantId, role: 'owner' as const } };
  const { link } = await issueLink(linkDeps(services), input, fromCommandLine('setup'));
  return { tenantId, made: { key, ownerLink: link.url } };
}

/** Registered, and each of its addresses approved. */
export async function ensureDomain(
  services: CommandServices,
  tenantId: string,
  name: string,
): Promise<Shown> {
  const deps = domainServices(services);
  const made = await unlessRefused('conflict', registerDomain(deps, tenantId, name));
  const domain = made ?? (await findDomain(deps, tenantId, name));
  await unlessRefused('conflict', createSender(services, tenantId, `*@${name}`));
  return presentDomain(domain, deps.returnPathHost);
}

async function findDomain(
  deps: ReturnType<typeof domainServices>,
  tenantId: string,
  name: string,
): Promise<Domain> {
  for (let afterId: string | null = null; ; ) {
    const page: Page = { afterId, limit: MAX_PAGE_LIMIT, fetch: MAX_PAGE_LIMIT + 1, list: 'setup' };
    const { data }: { data: Domain[] } = await readDomains(deps, tenantId, null, page, (domain) => domain);
    const found = data.find((domain) => domain.name === name);
    if (found !== undefined) return found;
    const last = data.at(-1);
    if (last === undefined) throw new Error(`${name} is not a domain of the account`);
    afterId = last.domainId;
  }
}

export async function lookAgain(services: CommandServices, tenantId: string, id: string): Promise<Shown> {
  const deps = domainServices(services);
  return presentDomain(await verifyDomain(deps, tenantId, id), deps.returnPathHost);
}

/** A key for as long as `work` takes. */
export async function withKey<T>(
  services: CommandServices,
  tenantId: string,
  work: (key: string) => Promise<T>,
): Promise<T> {
  const input = { name: 'acuse setup', scopes: ['messages:send', 'evidence:read'] as const };
  const made = await createApiKey(services, tenantId, input, null);
  try {
    return await work(made.key);
  } finally {
    await endApiKey(services, tenantId, made.apiKeyId);
  }
}

/** Null where it is refused with this code. */
async function unlessRefused<T>(code: string, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return null;
    throw error;
  }
}

import { randomBytes } from 'node:crypto';
import { formatKey, parseKey, SECRET_BYTES, secretHash } from '../accounts/api-keys/key.ts';
import { findCredential, insertApiKey } from '../accounts/api-keys/store.ts';
import { type DomainDeps, markVerified } from '../accounts/domains/register.ts';
import { SANDBOX_DOMAIN } from '../accounts/suppressions/sandbox-addresses.ts';
import { DEFAULT_SETTINGS } from '../accounts/tenants/operations.ts';
import { findTenant, insertTenant } from '../accounts/tenants/store.ts';
import { issueLink } from '../people/sessions/operator-issued-link.ts';
import { ensureDomain, unlessThere } from '../people/system-mail/own-accounts.ts';
import { loadInstallationSecret } from '../platform/database/installation-secrets-store.ts';
import { NOT_NARROWED, SCOPES } from '../platform/http/http.ts';
import { newId } from '../platform/ids.ts';
import type { SecretBox } from '../platform/secrets.ts';

/** The newcomer's account: its domain needs no DNS, because its mail stays in the test mailbox. */
export interface SandboxAccount {
  readonly tenantId: string;
  readonly apiKey: string;
}

interface SandboxAccountDeps extends DomainDeps {
  secrets: SecretBox;
}

const SECRET_NAME = 'sandbox_account';
const ACCOUNT_NAME = 'Sandbox';
const KEY_NAME = 'Sandbox';
const OWNER_EMAIL = `owner@${SANDBOX_DOMAIN}`;
const OWNER_NAME = 'Sandbox owner';
const QUOTA = 1_000_000_000;

/** Completes the account; concurrent processes agree. Repeatable after a crash. */
export async function openSandboxAccount(deps: SandboxAccountDeps): Promise<SandboxAccount> {
  const stored = await loadInstallationSecret(deps, SECRET_NAME, () => {
    const account: SandboxAccount = {
      tenantId: newId(),
      apiKey: formatKey(newId(), randomBytes(SECRET_BYTES)),
    };
    return Buffer.from(JSON.stringify(account));
  });
  const account = JSON.parse(stored.toString()) as SandboxAccount;
  await ensureTenant(deps, account.tenantId);
  await ensureKey(deps, account);
  const sender = { domain: SANDBOX_DOMAIN, address: `*@${SANDBOX_DOMAIN}` };
  const { status, domainId } = await ensureDomain(deps, account.tenantId, sender);
  if (status !== 'verified') await markVerified(deps, account.tenantId, domainId);
  return account;
}

/** A one-time sign-in link per start. */
export async function linkForSandboxOwner(
  deps: Pick<SandboxAccountDeps, 'db' | 'clock'>,
  tenantId: string,
  publicUrl: string,
): Promise<string> {
  const owner = { email: OWNER_EMAIL, name: OWNER_NAME, membership: { tenantId, role: 'owner' } } as const;
  const source = { kind: 'system', id: null, name: 'start', clientAddress: null, requestId: null } as const;
  const { link } = await issueLink({ ...deps, publicUrl: () => publicUrl }, owner, source);
  return link.url;
}

async function ensureTenant({ db, clock }: SandboxAccountDeps, tenantId: string): Promise<void> {
  if ((await findTenant(db, tenantId)) !== null) return;
  const at = clock.now();
  const quotas = { quotaMessagesMonth: QUOTA, quotaPlainMessagesMonth: QUOTA };
  const tenant = {
    ...DEFAULT_SETTINGS,
    ...quotas,
    tenantId,
    name: ACCOUNT_NAME,
    sandbox: true,
    sourcePool: null,
    status: 'active' as const,
  };
  await unlessThere(() => db.transact((tx) => insertTenant(tx, { ...tenant, createdAt: at, updatedAt: at })));
}

async function ensureKey(
  { db, clock }: SandboxAccountDeps,
  { tenantId, apiKey }: SandboxAccount,
): Promise<void> {
  const { apiKeyId, secret } = parseKey(apiKey)!;
  if ((await findCredential(db, apiKeyId)) !== null) return;
  const key = {
    apiKeyId,
    name: KEY_NAME,
    scopes: [...SCOPES],
    secretSha256: secretHash(secret),
    createdAt: clock.now(),
    narrowing: NOT_NARROWED,
    maker: null,
  };
  await unlessThere(() => db.asTenant(tenantId, (tx) => insertApiKey(tx, tenantId, key)));
}

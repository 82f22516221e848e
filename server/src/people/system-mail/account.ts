import { type DomainDeps, markVerified } from '../../accounts/domains/register.ts';
import { DEFAULT_SETTINGS } from '../../accounts/tenants/operations.ts';
import { findTenant, insertTenant, markInternal } from '../../accounts/tenants/store.ts';
import { loadInstallationSecret } from '../../platform/database/installation-secrets-store.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { ensureDomain, unlessThere } from './own-accounts.ts';

/**
 * The account that Acuse sends its own mail from. It is nobody's: links to people's sessions are in its
 * messages, which no customer and no key may read.
 */
export interface SystemAccount {
  readonly tenantId: string;
  readonly domainId: string;
  readonly verified: boolean;
}

export interface SystemAccountDeps extends DomainDeps {
  secrets: SecretBox;
  /** Its domain is verified without DNS, because mail reaches the built-in mailbox only. */
  sandbox: boolean;
}

const ACCOUNT_NAME = 'Acuse';
/** Mail from Acuse to people counts against nobody's quota. */
const QUOTA = 1_000_000_000;

/** Makes its missing parts; all processes on the database agree on one. */
export async function openSystemAccount(
  deps: SystemAccountDeps,
  sender: { address: string; domain: string },
): Promise<SystemAccount> {
  const { sandbox } = deps;
  // Mail of the sandbox must never leave later, under another configuration.
  const secret = sandbox ? 'sandbox_system_account' : 'system_account';
  const tenantId = (await loadInstallationSecret(deps, secret, () => Buffer.from(newId()))).toString();
  await ensureTenant(deps, tenantId);
  const domain = await ensureDomain(deps, tenantId, sender);
  const { domainId } = domain;
  if (domain.status === 'verified') return { tenantId, domainId, verified: true };
  if (sandbox) await markVerified(deps, tenantId, domainId);
  return { tenantId, domainId, verified: sandbox };
}

async function ensureTenant({ db, clock, sandbox }: SystemAccountDeps, tenantId: string): Promise<void> {
  if ((await findTenant(db, tenantId)) !== null) return;
  const at = clock.now();
  await unlessThere(() =>
    db.transact(async (tx) => {
      await insertTenant(tx, {
        ...DEFAULT_SETTINGS,
        tenantId,
        name: ACCOUNT_NAME,
        status: 'active',
        sandbox,
        sourcePool: null,
        defaultCertified: false,
        requireReadyDomains: false,
        plainRecordDays: null,
        quotaMessagesMonth: QUOTA,
        quotaPlainMessagesMonth: QUOTA,
        createdAt: at,
        updatedAt: at,
      });
      await markInternal(tx, tenantId);
    }),
  );
}

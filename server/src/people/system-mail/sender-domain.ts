import { parseMailbox } from '@acuse/mail/mailbox';
import { findInternalDomain } from '../../accounts/domains/store.ts';
import type { Config } from '../../config/config-type.ts';
import type { Queryable } from '../../platform/database/db.ts';

/** The domain of Acuse's own mail, which goes out only once it is verified. */
export interface SystemDomain {
  readonly name: string;
  /** Null: the first mail makes the account. */
  readonly tenantId: string | null;
  readonly isVerified: boolean;
}

/** Null: ACUSE_SYSTEM_SENDER is not set. Makes nothing. */
export async function readSystemDomain(
  db: Queryable,
  { systemSender, delivery }: Pick<Config, 'systemSender' | 'delivery'>,
): Promise<SystemDomain | null> {
  if (systemSender === null) return null;
  const { domain: name } = parseMailbox(systemSender);
  const sandbox = delivery === 'sandbox';
  const found = await findInternalDomain(db, name, sandbox);
  // In the sandbox the first mail verifies it without DNS.
  if (found === null) return { name, tenantId: null, isVerified: sandbox };
  return { name, tenantId: found.tenantId, isVerified: found.status === 'verified' };
}

import { createCachedRead } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import { findApproval } from './store.ts';

/** `senderKey`: compareKey of From. */
export type IsApprovedSender = (tenantId: string, senderKey: string) => boolean | Promise<boolean>;

/** The address itself or its *@domain. A disabled address stays refused. Only approvals are cached. */
export function createIsApprovedSender(deps: { db: Db; clock: Clock; changes: Changes }): IsApprovedSender {
  const approved = createCachedRead<true>({
    clock: deps.clock,
    async read(key) {
      const [tenantId, senderKey] = [key.slice(0, TENANT_ID_CHARS), key.slice(TENANT_ID_CHARS)];
      const found = await findApproval(deps.db, tenantId, senderKey, wildcardOf(senderKey));
      const decisive = found.find((each) => each.address === senderKey) ?? found[0];
      return decisive?.active === true ? true : null;
    },
  });
  deps.changes.on('sender', approved.forgetPrefix);

  return (tenantId, senderKey) => {
    const known = approved.get(tenantId + senderKey);
    return known instanceof Promise ? known.then(Boolean) : known === true;
  };
}

const TENANT_ID_CHARS = 36;

function wildcardOf(senderKey: string): string {
  return `*${senderKey.slice(senderKey.lastIndexOf('@'))}`;
}

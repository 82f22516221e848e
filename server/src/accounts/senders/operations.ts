import { readDomainName } from '@acuse/mail/domain-name';
import { compareKey, MailboxError, parseAddress } from '@acuse/mail/mailbox';
import { apiError } from '../../errors.ts';
import type { ChangeDeps } from '../../platform/database/changes.ts';
import type { Tx } from '../../platform/database/db.ts';
import { type PageOf, readPage, requireById } from '../../platform/http/own-rows.ts';
import type { Page } from '../../platform/http/page.ts';
import { newId } from '../../platform/ids.ts';
import { inBoth, STEPS } from '../../wording.ts';
import {
  deleteSender,
  findSender,
  hasDomain,
  hasSenders,
  insertSender,
  listSenders,
  type Sender,
  type SenderFilter,
  setSenderActive,
} from './store.ts';

/** Beyond it, use `*@domain`. */
const SENDERS_MAX = 10_000;

export async function createSender(deps: ChangeDeps, tenantId: string, text: string): Promise<Sender> {
  const { address, domain } = readSender(text);
  const createdAt = deps.clock.now();
  const sender = { senderId: newId(createdAt.getTime()), address, active: true, createdAt };
  const made = await deps.db.asTenant(tenantId, async (tx) => {
    if (await hasSenders(tx, tenantId, SENDERS_MAX)) {
      throw apiError(
        'conflict',
        `Limit of ${SENDERS_MAX} senders per account reached: approve *@${domain} instead.`,
      );
    }
    const inserted = await insertSender(tx, tenantId, sender, domain);
    if (inserted !== null) return inserted;
    if (await hasDomain(tx, tenantId, domain))
      throw apiError('conflict', `${address} is already a sender of this account.`);
    throw apiError(
      'domain_not_verified',
      inBoth`${domain} is not a domain of this account: register it with ${STEPS.createDomain} first.`,
    );
  });
  await deps.changes.announce('sender', tenantId);
  return made;
}

export function readSenders<Item>(
  deps: Pick<ChangeDeps, 'db'>,
  tenantId: string,
  filter: SenderFilter,
  page: Page,
  present: (row: Sender) => Item,
): Promise<PageOf<Item>> {
  const list = (tx: Tx, owner: string, before: string | null, limit: number) =>
    listSenders(tx, owner, filter, before, limit);
  return readPage(deps.db, tenantId, page, list, { idOf: (row) => row.senderId, present });
}

export function readOneSender(
  deps: Pick<ChangeDeps, 'db'>,
  tenantId: string,
  senderId: string,
): Promise<Sender> {
  return requireById(deps.db, tenantId, senderId, findSender);
}

/** Disabled: refused even under *@domain. Throws not_found. */
export async function switchSender(
  deps: ChangeDeps,
  tenantId: string,
  senderId: string,
  active: boolean,
): Promise<Sender> {
  const sender = await requireById(deps.db, tenantId, senderId, (tx) =>
    setSenderActive(tx, tenantId, senderId, active),
  );
  await deps.changes.announce('sender', tenantId);
  return sender;
}

export async function removeSender(deps: ChangeDeps, tenantId: string, senderId: string): Promise<void> {
  await requireById(deps.db, tenantId, senderId, deleteSender);
  await deps.changes.announce('sender', tenantId);
}

function readSender(text: string): { address: string; domain: string } {
  if (text.startsWith('*@')) {
    const domain = readDomainName(text.slice(2));
    if (domain === null) throw apiError('invalid_address', 'The part after *@ is not a domain name.');
    return { address: `*@${domain}`, domain };
  }
  try {
    const mailbox = parseAddress(text);
    return { address: compareKey(mailbox), domain: mailbox.domain };
  } catch (error) {
    if (error instanceof MailboxError) throw apiError('invalid_address', error.message);
    throw error;
  }
}

import { apiError } from '../../errors.ts';
import type { Db } from '../../platform/database/db.ts';
import { idRange, readCreated } from '../../platform/http/created-query.ts';
import { type Page, toPage } from '../../platform/http/page.ts';
import { isId } from '../../platform/ids.ts';
import type { Role } from './role-address.ts';
import {
  deleteRoleMail,
  findRoleMailBytes,
  listRoleMails,
  type RoleMail,
  type RoleMailKind,
} from './role-mail-store.ts';

interface RoleMailQuery {
  readonly role?: Role | undefined;
  readonly kind?: RoleMailKind | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

/** Throws invalid_parameter. */
export async function readRoleMailbox({ db }: { db: Db }, query: RoleMailQuery, page: Page) {
  const { role = null, kind = null } = query;
  const filter = { role, kind, ...readCreated(query) };
  const range = idRange(filter, page.afterId);
  const rows = await db.transact((tx) => listRoleMails(tx, filter, range, page.fetch));
  return toPage(rows, page, (row) => row.roleMailId, presentRoleMail);
}

/** The original bytes, truncated if long. Throws not_found. */
export async function readRoleMailBytes({ db }: { db: Db }, id: string): Promise<Uint8Array> {
  const raw = isId(id) ? await findRoleMailBytes(db, id) : null;
  if (raw === null) throw notThere();
  return raw;
}

export async function removeRoleMail({ db }: { db: Db }, id: string): Promise<void> {
  if (!isId(id) || !(await deleteRoleMail(db, id))) throw notThere();
}

function notThere() {
  return apiError('not_found', 'No such mail is in the role mailbox.');
}

function presentRoleMail(row: RoleMail) {
  return {
    id: row.roleMailId,
    role: row.role,
    kind: row.kind,
    problem: row.problem,
    to: row.forwardPath,
    mail_from: row.reversePath,
    client_address: row.clientAddress,
    from: row.from,
    subject: row.subject,
    text: row.excerpt,
    message_id: row.messageId,
    size_bytes: row.sizeBytes,
    received_at: row.receivedAt.toISOString(),
  };
}

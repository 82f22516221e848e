import { revokeApiKey } from '../../accounts/api-keys/store.ts';
import { fromCommandLine } from '../../accounts/audit/append.ts';
import {
  deleteGlobalSuppression,
  deleteSuppression,
  insertGlobalSuppression,
  insertSuppression,
} from '../../accounts/suppressions/store.ts';
import { changeTenant } from '../../accounts/tenants/operations.ts';
import { cancelQueued } from '../../delivery/operate/retry-cancel.ts';
import { deleteOperator, updateOperator } from '../../people/operators/operators-store.ts';
import { changeRole, deleteMember } from '../../people/sessions/members-store.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { Db, DbAndClock } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Entry, Note } from '../../platform/journal/note.ts';
import { type EraseDeps, eraseMessage } from '../retention/erase.ts';
import {
  findErasable,
  findMemberRole,
  findOperatorRole,
  findStatus,
  findSuppressionId,
  isGloballySuppressed,
  isKeyValid,
} from './missing-store.ts';

export interface ReplayDeps extends DbAndClock, EraseDeps {
  readonly changes: Changes;
  readonly hostname: string;
}

/** The last entry per object. */
export function lastOfEach(entries: readonly Entry[]): Entry[] {
  const last = new Map<string, Entry>();
  for (const entry of entries) {
    const about = subjectOf(entry.note);
    // At the last entry's position.
    last.delete(about);
    last.set(about, entry);
  }
  return [...last.values()];
}

function subjectOf(note: Note): string {
  switch (note.kind) {
    case 'key_revoked':
      return `key ${note.tenant_id} ${note.api_key_id}`;
    case 'account_status':
      return `account ${note.tenant_id}`;
    case 'suppressed':
    case 'unsuppressed':
      return `address ${note.tenant_id} ${note.address}`;
    case 'erased':
      return `message ${note.tenant_id} ${note.message_id}`;
    case 'member':
      return `member ${note.tenant_id} ${note.user_id}`;
    case 'operator':
      return `operator ${note.operator_id}`;
  }
}

/** Its object exists, but differs. */
export async function isMissing({ db }: Pick<ReplayDeps, 'db'>, { note }: Entry): Promise<boolean> {
  switch (note.kind) {
    case 'key_revoked':
      return isKeyValid(db, note.tenant_id, note.api_key_id);
    case 'account_status': {
      const status = await findStatus(db, note.tenant_id);
      return status !== null && status !== note.status;
    }
    case 'suppressed':
      return !(await isSuppressed(db, note)) && (await hasOwner(db, note.tenant_id));
    case 'unsuppressed':
      return isSuppressed(db, note);
    case 'erased':
      return (await findErasable(db, note.tenant_id, note.message_id)) !== null;
    case 'member': {
      const role = await db.asSessions((tx) => findMemberRole(tx, note.tenant_id, note.user_id));
      return role !== null && role !== note.role;
    }
    case 'operator': {
      const role = await db.asSessions((tx) => findOperatorRole(tx, note.operator_id));
      return role !== null && role !== note.role;
    }
  }
}

type OfAddress = Extract<Note, { readonly address: string }>;

async function isSuppressed(db: Db, { tenant_id: tenantId, address }: OfAddress): Promise<boolean> {
  if (tenantId === null) return isGloballySuppressed(db, address);
  return (await findSuppressionId(db, tenantId, address)) !== null;
}

const hasOwner = async (db: Db, tenantId: string | null) =>
  tenantId === null || (await findStatus(db, tenantId)) !== null;

export async function replay(deps: ReplayDeps, { at, note }: Entry): Promise<void> {
  const { db, clock } = deps;
  switch (note.kind) {
    case 'key_revoked':
      await db.asTenant(note.tenant_id, (tx) =>
        revokeApiKey(tx, note.tenant_id, note.api_key_id, clock.now()),
      );
      return deps.changes.announce('api_key', note.api_key_id);
    case 'account_status':
      await changeTenant(deps, note.tenant_id, { status: note.status as 'active' });
      return;
    case 'suppressed':
      return suppress(db, note, at);
    case 'unsuppressed':
      return unsuppress(db, note);
    case 'erased':
      return eraseAgain(deps, note);
    case 'member':
      await db.asSessions(async (tx) => {
        if (note.role === null) await deleteMember(tx, note.tenant_id, note.user_id);
        else await changeRole(tx, note.tenant_id, note.user_id, note.role as 'owner');
      });
      return;
    case 'operator':
      await db.asSessions(async (tx) => {
        if (note.role === null) await deleteOperator(tx, note.operator_id);
        else await updateOperator(tx, note.operator_id, { role: note.role as 'admin' }, clock.now());
      });
  }
}

async function suppress(db: Db, note: Extract<Note, { kind: 'suppressed' }>, createdAt: Date): Promise<void> {
  const { tenant_id: tenantId, address, reason } = note;
  if (tenantId === null) {
    await db.transact((tx) => insertGlobalSuppression(tx, { address, reason, createdAt }));
    return;
  }
  const entry = {
    ...{ address, reason, createdAt },
    suppressionId: newId(createdAt.getTime()),
    source: note.source as 'manual',
    messageId: note.message_id,
  };
  await db.asTenant(tenantId, (tx) => insertSuppression(tx, tenantId, entry));
}

async function unsuppress(db: Db, { tenant_id: tenantId, address }: OfAddress): Promise<void> {
  if (tenantId === null) {
    await db.transact((tx) => deleteGlobalSuppression(tx, address));
    return;
  }
  await db.asTenant(tenantId, async (tx) => {
    const id = await findSuppressionId(tx, tenantId, address);
    if (id !== null) await deleteSuppression(tx, tenantId, id);
  });
}

/** A waiting message is cancelled first, so that it is never sent. */
async function eraseAgain(deps: ReplayDeps, note: Extract<Note, { kind: 'erased' }>): Promise<void> {
  const { tenant_id: tenantId, message_id: messageId, reason, by } = note;
  const source = fromCommandLine('restore');
  const status = await findErasable(deps.db, tenantId, messageId);
  if (status === 'scheduled' || status === 'queued' || status === 'deferred')
    await cancelQueued(deps, messageId, source);
  // After a crash here the next release erases it.
  await eraseMessage(deps, { tenantId, messageId, reason, by, force: true, source });
}

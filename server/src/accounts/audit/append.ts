import type { FastifyRequest } from 'fastify';
import type { Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import { type AccountEvent, type ActorKind, insertAccountEvent } from './account-events-store.ts';

export interface AuditSource {
  readonly kind: ActorKind;
  readonly id: string | null;
  readonly name: string;
  readonly clientAddress: string | null;
  readonly requestId: string | null;
}

export interface AuditEntry {
  readonly action: string;
  readonly target?: string | null;
  readonly before?: object | null;
  readonly after?: object | null;
}

const NAME_MAX_CHARS = 320;

export function fromCommandLine(group: string): AuditSource {
  return { kind: 'operator', id: null, name: `acuse ${group}`, clientAddress: null, requestId: null };
}

export function appendAccountEvent(
  tx: Tx,
  tenantId: string,
  source: AuditSource,
  entry: AuditEntry,
  at: Date,
): Promise<void> {
  const event: AccountEvent = {
    tenantId,
    eventId: newId(at.getTime()),
    occurredAt: at,
    actorKind: source.kind,
    actorId: source.id,
    actorName: source.name.slice(0, NAME_MAX_CHARS),
    action: entry.action,
    target: entry.target?.slice(0, NAME_MAX_CHARS) ?? null,
    before: entry.before ?? null,
    after: entry.after ?? null,
    clientAddress: source.clientAddress,
    requestId: source.requestId,
  };
  return insertAccountEvent(tx, event);
}

export function auditSource(
  { ip, id }: Pick<FastifyRequest, 'ip' | 'id'>,
  actor: { readonly kind: ActorKind; readonly id: string | null; readonly name: string },
): AuditSource {
  return { kind: actor.kind, id: actor.id, name: actor.name, clientAddress: ip, requestId: id };
}

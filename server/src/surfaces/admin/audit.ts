import type { FastifyRequest } from 'fastify';
import { type AuditSource, auditSource } from '../../accounts/audit/append.ts';
import { ApiError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { isId, newId } from '../../platform/ids.ts';
import { nameOf } from './access.ts';
import { type AuditEnd, type AuditRow, insertEnded, insertStarted, type ListedAudit } from './audit-store.ts';

/**
 * The record of what operators did. It is written before a change is made and again when it has ended, so
 * that nothing is done unrecorded, whenever the process dies; a refusal is recorded, too.
 */
export interface Audit {
  change<T>(request: FastifyRequest, what: Change, work: () => Promise<Changed<T>>): Promise<T>;
}

export interface Change {
  readonly action: string;
  readonly tenantId?: string | null;
  /** Another target: an id, an address, a name. */
  readonly subject?: string | null;
  readonly reason?: string | null;
}

/** The result of a change: `answer` is the caller's, the rest is recorded. */
export interface Changed<T> {
  readonly answer: T;
  readonly before?: Record<string, unknown> | null;
  readonly after?: Record<string, unknown> | null;
  /** Known only to the change itself. */
  readonly tenantId?: string;
  readonly subject?: string;
}

/** Longer subjects are cut: they are there to be found, not to be kept. */
const SUBJECT_MAX_CHARS = 400;

/** The operator as the audit log of an account names them. */
export function operatorSource(request: FastifyRequest): AuditSource {
  const { operatorId } = request.operator;
  return auditSource(request, { kind: 'operator', id: operatorId, name: nameOf(request) });
}

export function createAudit({ db, clock }: { readonly db: Db; readonly clock: Clock }): Audit {
  function rowOf(request: FastifyRequest, what: Change): AuditRow {
    const at = clock.now();
    const tenantId = what.tenantId ?? null;
    return {
      eventId: newId(at.getTime()),
      requestId: request.id,
      operatorId: request.operator.operatorId,
      operatorName: nameOf(request),
      action: what.action,
      tenantId: tenantId !== null && isId(tenantId) ? tenantId : null,
      subject: what.subject?.slice(0, SUBJECT_MAX_CHARS) ?? null,
      reason: what.reason ?? null,
      clientAddress: request.ip,
      occurredAt: at,
    };
  }

  return {
    async change(request, what, work) {
      await insertStarted(db, rowOf(request, what));
      const {
        answer,
        before = null,
        after = null,
        ...known
      } = await work().catch(async (error) => {
        // The database may be away; the entry for the beginning exists.
        await insertEnded(db, rowOf(request, what), endOf(error)).catch(() => {});
        throw error;
      });
      const end = { outcome: 'done', before, after, error: null } as const;
      await insertEnded(db, rowOf(request, { ...what, ...known }), end);
      return answer;
    },
  };
}

function endOf(error: unknown): AuditEnd {
  const refusal = error instanceof ApiError ? error : null;
  return {
    outcome: refusal !== null && refusal.status < 500 ? 'refused' : 'failed',
    before: null,
    after: null,
    error: refusal?.code ?? 'internal_error',
  };
}

export function presentAudit(row: ListedAudit) {
  return {
    id: row.eventId,
    request_id: row.requestId,
    occurred_at: row.occurredAt.toISOString(),
    operator: { id: row.operatorId, name: row.operatorName },
    action: row.action,
    outcome: row.outcome,
    tenant_id: row.tenantId,
    subject: row.subject,
    reason: row.reason,
    before: row.before,
    after: row.after,
    error: row.error,
    client_address: row.clientAddress,
  };
}

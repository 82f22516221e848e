import { Type } from 'typebox';
import { closed, Id, mapOf, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import { CREATED_QUERY, idRange, readCreated } from '../../platform/http/created-query.ts';
import type { Doors } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../../platform/http/page.ts';
import { readIdParameter } from '../../platform/http/url-parameters.ts';
import { BY_SUPPORT } from './access.ts';
import { presentAudit } from './audit.ts';
import { listAudit } from './audit-store.ts';
import type { AdminDeps } from './deps.ts';

const ACTION_MAX_CHARS = 100;
const details = (description: string) => nullable(mapOf(Type.Unknown()), description);

const AuditEntry = named('OperatorEvent', {
  id: Id,
  request_id: { ...Id, description: 'Request-Id of the answer that the operator got.' },
  occurred_at: Timestamp,
  operator: named('AuditOperator', { id: Id, name: Type.String({ examples: ['Ana <ana@example.com>'] }) }),
  action: Type.String({ examples: ['tenant.update'] }),
  outcome: Type.Enum(['done', 'refused', 'failed', 'cut_off'], {
    description: 'cut_off: it was begun, and nobody knows how it ended; one under way is shown so, too.',
  }),
  tenant_id: nullable(Id),
  subject: nullable(Type.String({ description: 'Another target.', examples: ['example.com'] })),
  reason: nullable(Type.String({ examples: ['ticket 4711'] })),
  before: details('The changed fields before the change.'),
  after: details('The values after the change, or its result.'),
  error: nullable(Type.String({ description: 'Error code of a refusal.', examples: ['conflict'] })),
  client_address: Type.String({ examples: ['203.0.113.7'] }),
});

export function auditRoutes(doors: Doors, { db }: Pick<AdminDeps, 'db'>): void {
  doors.get(
    '/audit',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listAudit',
        summary: 'List what operators did',
        description: 'Newest first. Entries are only ever added.',
        querystring: closed({
          ...PAGE_QUERY,
          tenant_id: Type.Optional({ ...Id, description: 'Only what was done to this account.' }),
          operator_id: Type.Optional({ ...Id, description: 'Only what this operator did.' }),
          action: Type.Optional(
            Type.String({
              maxLength: ACTION_MAX_CHARS,
              pattern: '^[a-z_.-]+$',
              description: 'Only this action.',
            }),
          ),
          ...CREATED_QUERY,
        }),
        response: { 200: pageSchema(AuditEntry) },
      },
    },
    async (request) => {
      const page = parsePage(request);
      const { tenant_id: tenantId, operator_id: operatorId, action = null } = request.query;
      const filter = {
        tenantId: tenantId === undefined ? null : readIdParameter('tenant_id', tenantId),
        operatorId: operatorId === undefined ? null : readIdParameter('operator_id', operatorId),
        action,
        ...readCreated(request.query),
      };
      const range = idRange(filter, page.afterId);
      const rows = await db.transact((tx) => listAudit(tx, filter, range, page.fetch));
      return toPage(rows, page, (row) => row.eventId, presentAudit);
    },
  );
}

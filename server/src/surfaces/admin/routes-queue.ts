import { Type } from 'typebox';
import { BULK_MAX, cancelSelected, previewSelection, retrySelected } from '../../delivery/operate/bulk.ts';
import type { Selection } from '../../delivery/operate/bulk-store.ts';
import { presentDestination, presentQueue, presentTenantQueue } from '../../delivery/operate/present.ts';
import { listQueue, showDestination, showTenant } from '../../delivery/operate/queue.ts';
import { closed, errorAnswers, ID_PARAMS } from '../../platform/http/api-schema.ts';
import { readMoment } from '../../platform/http/created-query.ts';
import type { Doors } from '../../platform/http/door.ts';
import { BY_SUPPORT } from './access.ts';
import { operatorSource } from './audit.ts';
import type { AdminDeps } from './deps.ts';
import {
  BulkRequest,
  BulkResult,
  DestinationQueue,
  QueueKeySchema,
  QueueSchema,
  SELECTION,
  SelectionSchema,
  TenantQueue,
} from './queue-schemas.ts';

const GROUPS_DEFAULT = 50;
const GROUPS_MAX = 1_000;

/** `acuse queue list` and `queue show` over HTTP. */
export function queueRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/queue',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listQueue',
        summary: 'List what waits',
        description: 'By destination, account or age, most messages first, with everything that is paused.',
        querystring: closed({
          by: Type.Optional(QueueKeySchema),
          destination: SELECTION.destination,
          tenant_id: SELECTION.tenant_id,
          limit: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: GROUPS_MAX,
              default: GROUPS_DEFAULT,
              description: 'Number of groups to return.',
            }),
          ),
        }),
        response: { 200: QueueSchema, ...errorAnswers('invalid_address', 'not_found') },
      },
    },
    async (request) => {
      const { by = 'destination', destination = null, tenant_id, limit = GROUPS_DEFAULT } = request.query;
      const filter = { destination, tenantId: tenant_id ?? null };
      return presentQueue(by, await listQueue(deps, by, filter, limit));
    },
  );

  doors.get(
    '/queue/destinations/:name',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getDestinationQueue',
        summary: 'Read what waits for a destination',
        params: Type.Object({ name: Type.String({ description: 'Domain of the recipients.' }) }),
        response: { 200: DestinationQueue, ...errorAnswers('invalid_address') },
      },
    },
    async (request) => presentDestination(await showDestination(deps, request.params.name)),
  );

  doors.get(
    '/tenants/:id/queue',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getTenantQueue',
        summary: 'Read what waits of an account',
        params: ID_PARAMS,
        response: { 200: TenantQueue, ...errorAnswers('not_found') },
      },
    },
    async (request) => presentTenantQueue(await showTenant(deps, request.params.id)),
  );
}

export function bulkRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/queue/selection',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'countQueueSelection',
        summary: 'Count waiting messages',
        description: 'The messages that a retry or a cancellation of this selection would change.',
        querystring: closed(SELECTION),
        response: { 200: SelectionSchema, ...errorAnswers('invalid_address') },
      },
    },
    (request) => previewSelection(deps, readGiven(request.query)),
  );

  const response = {
    200: BulkResult,
    ...errorAnswers('invalid_address', 'conflict'),
  };
  const LIMITED = `At most ${BULK_MAX} per call, oldest first. 409 when their number has changed.`;

  doors.post(
    '/queue/retry',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'retryQueueSelection',
        summary: 'Retry waiting messages now',
        description: `Makes deferred messages due at once; what is paused stays. ${LIMITED}`,
        body: BulkRequest,
        response,
      },
    },
    (request) => {
      const { count, ...given } = request.body;
      return deps.audit.change(request, { action: 'queue.retry', ...whatOf(given) }, async () => {
        const answer = await retrySelected(deps, readGiven(given), count, operatorSource(request));
        return { answer, before: { ...given, count }, after: { ...answer } };
      });
    },
  );

  doors.post(
    '/queue/cancel',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'cancelQueueSelection',
        summary: 'Cancel waiting messages',
        description: `Cannot be undone. Messages that a delivery process takes up meanwhile are sent. ${LIMITED}`,
        body: BulkRequest,
        response,
      },
    },
    (request) => {
      const { count, ...given } = request.body;
      return deps.audit.change(request, { action: 'queue.cancel', ...whatOf(given) }, async () => {
        const hostname = deps.config.hostname;
        const answer = await cancelSelected(
          { ...deps, hostname },
          readGiven(given),
          count,
          operatorSource(request),
        );
        return { answer, before: { ...given, count }, after: { ...answer } };
      });
    },
  );
}

interface GivenSelection {
  destination?: string | undefined;
  tenant_id?: string | undefined;
  older_than?: string | undefined;
}

function readGiven({ destination, tenant_id, older_than }: GivenSelection): Selection {
  return {
    destination: destination ?? null,
    tenantId: tenant_id ?? null,
    acceptedBefore: readMoment('older_than', older_than),
  };
}

function whatOf({ destination, tenant_id }: GivenSelection) {
  return { tenantId: tenant_id ?? null, subject: destination ?? null };
}

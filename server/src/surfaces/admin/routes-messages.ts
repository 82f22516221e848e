import { Type } from 'typebox';
import { presentQueued } from '../../delivery/operate/present.ts';
import { showMessage } from '../../delivery/operate/queue.ts';
import { cancelQueued, retryMessage } from '../../delivery/operate/retry-cancel.ts';
import { apiError } from '../../errors.ts';
import { acknowledgementOf, bounceOfRow } from '../../messages/present.ts';
import { findMessage } from '../../messages/read-store.ts';
import { type Erased, type Erasure, eraseMessage } from '../../operate/retention/erase.ts';
import { presentErasure } from '../../operate/retention/present.ts';
import { errorAnswers, ID_PARAMS, Id, named, Timestamp } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { requireById } from '../../platform/http/own-rows.ts';
import { BY_ADMIN, BY_SUPPORT } from './access.ts';
import { operatorSource } from './audit.ts';
import type { AdminDeps } from './deps.ts';
import { OperatorMessage } from './queue-schemas.ts';
import { REASON } from './tenant-schemas.ts';

const ErasureRequest = named('ErasureRequest', {
  reason: {
    ...REASON,
    description: 'Why; it is kept, and the customer reads it, so give no personal data.',
  },
  force: Type.Optional(
    Type.Boolean({ description: 'Erase evidence even within its retention period.', default: false }),
  ),
});

const ErasureSchema = named('Erasure', {
  message_id: Id,
  tenant_id: Id,
  certified: Type.Boolean(),
  erased_at: Timestamp,
  reason: Type.String({ examples: ['request 4711'] }),
  erased_by: Type.String({ examples: ['Ana <ana@example.com>'] }),
  bytes: Type.Integer({ minimum: 0, description: 'Bytes of the message that were still there.' }),
  already_erased: Type.Boolean(),
});

/** One message, whatever its account: `acuse queue show`, `queue cancel`, `messages erase` over HTTP. */
export function messageRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/messages/:id',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getOperatorMessage',
        summary: 'Read a message and why it waits',
        description:
          'Its record without its content: subject, bodies, tags and metadata are closed to operators.',
        params: ID_PARAMS,
        response: { 200: OperatorMessage, ...errorAnswers('not_found') },
      },
    },
    (request) => readOne(deps, request.params.id),
  );

  const response = { 200: OperatorMessage, ...errorAnswers('not_found', 'conflict') };
  doors.post(
    '/messages/:id/retry',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'retryOperatorMessage',
        summary: 'Retry a deferred message now',
        description: 'Answers 409, with the reason, for a message in any other state.',
        params: ID_PARAMS,
        response,
      },
    },
    async (request) => {
      const { id } = request.params;
      const { message } = await showMessage(deps, id);
      const what = { action: 'message.retry', tenantId: message.tenant_id, subject: id };
      return deps.audit.change(request, what, async () => {
        const byHand = { ...deps, hostname: deps.config.hostname };
        await retryMessage(byHand, message.tenant_id, id, operatorSource(request));
        return { answer: await readOne(deps, id) };
      });
    },
  );

  doors.post(
    '/messages/:id/cancel',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'cancelOperatorMessage',
        summary: 'Cancel a message',
        description:
          'One that no server has taken yet. A certified message gets an outcome in the log that says that the operator cancelled it. Cannot be undone.',
        params: ID_PARAMS,
        response,
      },
    },
    async (request) => {
      const { id } = request.params;
      const { message } = await showMessage(deps, id);
      const what = { action: 'message.cancel', tenantId: message.tenant_id, subject: id };
      return deps.audit.change(request, what, async () => {
        const byHand = { ...deps, hostname: deps.config.hostname };
        await cancelQueued(byHand, id, operatorSource(request));
        const answer = await readOne(deps, id);
        return { answer, before: { status: message.status }, after: { status: answer.status } };
      });
    },
  );
  erasureRoute(doors, deps);
}

function erasureRoute(doors: Doors, deps: AdminDeps): void {
  doors.post(
    '/messages/:id/erase',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'eraseMessage',
        summary: 'Erase a message',
        description:
          'Erases its content, its salts and what records say of its content, for good; hashes, proofs and constancias stay valid. 409 for a message that is still waiting, and for a certified one within its retention period unless force is true. Reaches this database, not its backups.',
        params: ID_PARAMS,
        body: ErasureRequest,
        response: { 200: ErasureSchema, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request) => {
      const { id: messageId } = request.params;
      const { force = false } = request.body;
      const reason = request.body.reason.trim();
      const { message } = await showMessage(deps, messageId);
      const { certifiedRetentionYears: certifiedYears } = deps.config;
      const what = { action: 'message.erase', tenantId: message.tenant_id, subject: messageId, reason };
      return deps.audit.change(request, what, async () => {
        const source = operatorSource(request);
        const erasure = await eraseMessage(
          { ...deps, certifiedYears },
          { messageId, tenantId: null, reason, by: source.name, force, source },
        );
        const answer = presentErasure(messageId, requireErased(erasure, messageId));
        return { answer, after: { force, already_erased: answer.already_erased } };
      });
    },
  );
}

async function readOne(deps: AdminDeps, id: string) {
  const shown = await showMessage(deps, id);
  const row = await requireById(deps.db, shown.message.tenant_id, id, findMessage);
  return {
    ...presentQueued(shown),
    sender: row.header_from,
    certified: row.certified,
    size_bytes: row.size_bytes,
    sealed_at: row.sealed_at?.toISOString() ?? null,
    content_deleted_at: row.content_deleted_at?.toISOString() ?? null,
    bounce: bounceOfRow(row),
    acknowledgement: acknowledgementOf(row),
  };
}

function requireErased(erasure: Erasure, messageId: string): Erased {
  switch (erasure.kind) {
    case 'erased':
      return erasure;
    case 'unknown':
      throw apiError('not_found', `No message has the id ${messageId}.`);
    case 'waiting':
      throw apiError('conflict', 'The message is still waiting to be sent: cancel it first, then erase it.');
    case 'guarded':
      throw apiError(
        'conflict',
        `The message is certified and its evidence must be kept until ${erasure.until.toISOString()}: to erase it anyway, set force.`,
      );
  }
}

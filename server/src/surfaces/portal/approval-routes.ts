import { Type } from 'typebox';
import { auditSource } from '../../accounts/audit/append.ts';
import { ApiError, apiError } from '../../errors.ts';
import type { ApprovalRow } from '../../messages/approval-store.ts';
import {
  type ApprovalDeps,
  approveSend,
  readApproval,
  readWaiting,
  readWaitingSend,
  refuseSend,
  WAITING_MAX,
} from '../../messages/approvals.ts';
import { runAnywhere } from '../../messages/parts.ts';
import { readPartsJob } from '../../messages/parts-jobs.ts';
import { MessageParts, presentParts } from '../../messages/parts-routes.ts';
import type { PreparedMessage } from '../../messages/prepared.ts';
import { mailboxText } from '../../messages/recipients.ts';
import { SEND_REFUSALS } from '../../messages/send-routes.ts';
import {
  errorAnswers,
  ID_PARAMS,
  Id,
  named,
  nullable,
  openNamed,
  otherContent,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import type { Principal } from '../../platform/http/http.ts';
import { makePreview } from './preview.ts';
import { frameHeaders, PreviewQuery, shownBy } from './preview-routes.ts';

const facts = {
  id: Id,
  state: Type.Enum(['waiting', 'approved', 'refused'], {
    $id: 'ApprovalState',
    description: 'State of the request.',
  }),
  api_key: openNamed(
    'AskingKey',
    { id: Id, name: Type.String({ description: 'Name of the key.', examples: ['Claude'] }) },
    { description: 'The API key that asks.' },
  ),
  asked_at: { ...Timestamp, description: 'When the key asked.' },
  ends_at: { ...Timestamp, description: 'Until then it is kept; one that still waits is then over.' },
  decided_at: nullable(Timestamp, 'Null while it waits.'),
  decided_by: nullable(Type.String({ examples: ['Ana López'] }), 'Null while it waits.'),
  message_id: nullable(Id, 'The message that was sent. Null unless approved.'),
  summary: nullable(
    openNamed('ApprovalSummary', {
      from: Type.String({ description: 'The sender.', examples: ['billing@example.com'] }),
      to: Type.Array(Type.String(), { description: 'Every recipient, Cc and Bcc included.' }),
      subject: Type.String({ description: 'Its subject.', examples: ['Invoice 2026-0001'] }),
      certified: Type.Boolean({ description: 'Whether it is sealed as evidence.' }),
    }),
    'Null once it is decided: its content is deleted.',
  ),
};
const Approval = openNamed('Approval', facts);

const ApprovalList = openNamed('ApprovalList', {
  data: Type.Array(Approval, {
    description: `Requests that wait, oldest first; at most ${WAITING_MAX} of an account.`,
  }),
});

const Recipient = openNamed('ApprovalRecipient', {
  address: Type.String({
    description: 'Its address, and its name if given.',
    examples: ['ana@example.net'],
  }),
  field: Type.Enum(['to', 'cc', 'bcc'], {
    $id: 'ApprovalRecipientField',
    description: 'Field of the request that names it.',
  }),
});

const Shown = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Identifies what was shown: an approval must send it back.',
  examples: ['2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'],
});

const Content = openNamed('ApprovalContent', {
  shown: Shown,
  from: Type.String({ description: 'The sender.', examples: ['Billing <billing@example.com>'] }),
  recipients: Type.Array(Recipient, { description: 'Each gets a message of its own.' }),
  subject: Type.String({ description: 'Its subject.', examples: ['Invoice 2026-0001'] }),
  certified: Type.Boolean({ description: 'Whether it is sealed as evidence.' }),
  send_at: nullable(Timestamp, 'When it is sent. Null: at once.'),
  asks_acknowledgement: Type.Boolean({ description: 'The recipient is asked to acknowledge it.' }),
  parts: { ...MessageParts, description: 'Its header fields, parts and links.' },
});

const ApprovalDetail = openNamed('ApprovalDetail', {
  ...facts,
  content: nullable(Content, 'The message as it would be sent now. Null with a problem, or once decided.'),
  problem: nullable(
    Type.String({ examples: ['example.com is not a domain of this account.'] }),
    'Why it could not be sent now. Null: nothing is known to be in its way.',
  ),
});

const Approving = named('NewApproval', {
  shown: Shown,
});

const READS = { scopes: ['evidence:read'] as const };
const SENDS = { scopes: ['messages:send'] as const };
const REFUSALS = [...SEND_REFUSALS, 'idempotency_key_reused', 'accepted_before'] as const;

export function approvalRoutes(doors: Doors, deps: ApprovalDeps): void {
  listRoute(doors, deps);
  previewRoute(doors, deps);

  doors.get(
    '/approvals/:id',
    {
      config: { ...READS, costly: true },
      schema: {
        summary: 'Show a send that waits for a person',
        description: 'With the whole message, composed as it would be sent now.',
        operationId: 'getApproval',
        params: ID_PARAMS,
        response: { 200: ApprovalDetail, ...errorAnswers('not_found') },
      },
    },
    (request) => presentDetail(deps, request.principal.tenantId, request.params.id),
  );

  doors.post(
    '/approvals/:id/approve',
    {
      config: { ...SENDS, stepUp: true, costly: true },
      schema: {
        summary: 'Approve a send',
        description:
          'Sends the message as the API key asked for it, under its Idempotency-Key, and is refused as any send is; then it still waits. 409 when the message is not the one that was shown any more, or the request was refused. Approved twice, it is sent once.',
        operationId: 'approveSend',
        retry: 'repeatable',
        params: ID_PARAMS,
        body: Approving,
        response: { 200: Approval, ...errorAnswers('not_found', 'conflict', ...REFUSALS) },
      },
    },
    async (request) =>
      present(await approveSend(deps, personOf(request), request.params.id, request.body.shown)),
  );

  doors.post(
    '/approvals/:id/refuse',
    {
      config: SENDS,
      schema: {
        summary: 'Refuse a send',
        description: 'Nothing is sent; the API key that asked is answered approval_refused.',
        operationId: 'refuseSend',
        retry: 'repeatable',
        params: ID_PARAMS,
        response: { 200: Approval, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request) => present(await refuseSend(deps, personOf(request), request.params.id)),
  );
}

function listRoute(doors: Doors, deps: ApprovalDeps): void {
  doors.get(
    '/approvals',
    {
      config: READS,
      schema: {
        summary: 'List sends that wait for a person',
        description: 'Those of API keys whose sends a person approves, and that are not revoked.',
        operationId: 'listApprovals',
        response: { 200: ApprovalList },
      },
    },
    async (request) => ({ data: (await readWaiting(deps, request.principal.tenantId)).map(present) }),
  );
}

function previewRoute(doors: Doors, deps: ApprovalDeps): void {
  doors.get(
    '/approvals/:id/preview',
    {
      config: { ...READS, costly: true },
      schema: {
        summary: 'Show a message that waits for a person in a frame',
        description:
          'As the preview of a message that was sent: nothing in it runs, follows a link or loads anything, but for images at https addresses with images=1.',
        operationId: 'previewApproval',
        params: ID_PARAMS,
        querystring: PreviewQuery,
        response: { 200: otherContent('text/html', 'The page.'), ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.principal;
      const shown = shownBy(request.query);
      await readApproval(deps, tenantId, request.params.id);
      const { messages } = await readWaitingSend(deps, tenantId, request.params.id).catch(notShown);
      const page = await makePreview(deps.threads, tenantId, { raw: rawOf(messages[0]!), ...shown });
      return reply.headers(frameHeaders(shown)).send(page as never);
    },
  );
}

/** The page itself says why. */
function notShown(error: unknown): never {
  if (error instanceof ApiError && error.status < 500)
    throw apiError('not_found', 'There is nothing to show: the message cannot be sent, or was decided.');
  throw error;
}

async function presentDetail(deps: ApprovalDeps, tenantId: string, approvalId: string) {
  const row = await readApproval(deps, tenantId, approvalId);
  const shown = present(row);
  if (row.state !== 'waiting') return { ...shown, content: null, problem: null };
  try {
    const waiting = await readWaitingSend(deps, tenantId, row.approvalId);
    const [first] = waiting.messages;
    const raw = rawOf(first!);
    const parts = await runAnywhere(deps.threads, readPartsJob, raw, { tenantId, raw });
    const { submission } = waiting.send;
    const recipients = submission.recipients ?? [{ mailbox: submission.recipient, field: 'to' as const }];
    const { headerFrom: from, subject, certified, sendAt } = first!;
    const content = {
      ...{ shown: waiting.shown, from, subject, certified, parts: presentParts(parts) },
      recipients: recipients.map(({ mailbox, field }) => ({ address: mailboxText(mailbox), field })),
      send_at: sendAt?.toISOString() ?? null,
      asks_acknowledgement: submission.asking !== undefined,
    };
    return { ...shown, content, problem: null };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { ...shown, content: null, problem: error.message };
  }
}

/** A copy, because a thread takes ownership of its input. */
function rawOf({ raw }: PreparedMessage): Buffer {
  return Buffer.from(raw);
}

function present(row: ApprovalRow) {
  const { summary } = row;
  return {
    id: row.approvalId,
    state: row.state,
    api_key: { id: row.apiKeyId, name: row.apiKeyName },
    asked_at: row.askedAt.toISOString(),
    ends_at: row.endsAt.toISOString(),
    decided_at: row.decidedAt?.toISOString() ?? null,
    decided_by: row.decidedBy,
    message_id: row.messageId,
    summary: summary && { ...summary, to: [...summary.to] },
  };
}

function personOf(request: { principal: Principal; ip: string; id: string }) {
  const { tenantId, actor } = request.principal;
  const { id, name } = actor;
  return { tenantId, source: auditSource(request, { kind: 'user' as const, id, name }) };
}

import { Type } from 'typebox';
import type { ChangeDeps } from '../../platform/database/changes.ts';
import {
  closed,
  errorAnswers,
  ID_EXAMPLE,
  ID_PARAMS,
  Id,
  LOCATION,
  NoContent,
  named,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import { type Doors, locationOf } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../../platform/http/page.ts';
import { readIdParameter } from '../../platform/http/url-parameters.ts';
import { createSender, readOneSender, readSenders, removeSender, switchSender } from './operations.ts';
import type { Sender } from './store.ts';

const ADDRESS_MAX_CHARS = 2_048;

const NewSender = named('NewSender', {
  address: Type.String({
    maxLength: ADDRESS_MAX_CHARS,
    description: 'An address of a registered domain, or *@domain for all of them.',
    examples: ['billing@example.com', '*@example.com'],
  }),
});

const SenderChange = named('SenderChange', { active: Type.Boolean() });

const SenderSchema = named('Sender', {
  id: Id,
  address: Type.String({
    description: 'Normalized for comparison: lower case, domain in A-labels.',
    examples: ['billing@example.com'],
  }),
  domain_id: Id,
  active: Type.Boolean({ description: 'False: the address is refused, even if *@domain is active.' }),
  created_at: Timestamp,
});

const writing = { scopes: ['messages:send'] as const };
const reading = { scopes: ['messages:send', 'evidence:read'] as const };

export function senderRoutes(doors: Doors, deps: ChangeDeps): void {
  doors.post(
    '/senders',
    {
      config: writing,
      schema: {
        summary: 'Approve a sender',
        description: 'Allows sending from the address once its domain is verified.',
        operationId: 'createSender',
        retry: 'once',
        body: NewSender,
        answers: { 201: { headers: LOCATION } },
        response: {
          201: SenderSchema,
          ...errorAnswers('invalid_address', 'domain_not_verified', 'conflict'),
        },
      },
    },
    async (request, reply) => {
      const sender = await createSender(deps, request.principal.tenantId, request.body.address);
      return reply
        .code(201)
        .header('Location', locationOf(request, `/senders/${sender.senderId}`))
        .send(presentSender(sender));
    },
  );

  doors.get(
    '/senders',
    {
      config: reading,
      schema: {
        summary: 'List senders',
        description: 'The addresses that may be in From, newest first.',
        operationId: 'listSenders',
        querystring: closed({
          ...PAGE_QUERY,
          active: Type.Optional(Type.Boolean()),
          domain_id: Type.Optional(
            Type.String({ description: 'Senders of this domain.', examples: [ID_EXAMPLE] }),
          ),
        }),
        response: { 200: pageSchema(SenderSchema) },
      },
    },
    (request) => {
      const { active = null, domain_id: domainId = null } = request.query;
      const filter = { active, domainId: domainId === null ? null : readIdParameter('domain_id', domainId) };
      return readSenders(deps, request.principal.tenantId, filter, parsePage(request), presentSender);
    },
  );

  doors.get(
    '/senders/:id',
    {
      config: reading,
      schema: {
        summary: 'Read a sender',
        description: 'One sender by its id.',
        operationId: 'getSender',
        params: ID_PARAMS,
        response: { 200: SenderSchema, ...errorAnswers('not_found') },
      },
    },
    async (request) =>
      presentSender(await readOneSender(deps, request.principal.tenantId, request.params.id)),
  );

  addChangeRoutes(doors, deps);
}

function addChangeRoutes(doors: Doors, deps: ChangeDeps): void {
  doors.patch(
    '/senders/:id',
    {
      config: writing,
      schema: {
        summary: 'Enable or disable a sender',
        description: 'Applies from the next send on; messages accepted before are still delivered.',
        operationId: 'updateSender',
        params: ID_PARAMS,
        body: SenderChange,
        response: { 200: SenderSchema, ...errorAnswers('not_found') },
      },
    },
    async (request) =>
      presentSender(
        await switchSender(deps, request.principal.tenantId, request.params.id, request.body.active),
      ),
  );

  doors.delete(
    '/senders/:id',
    {
      config: writing,
      schema: {
        summary: 'Delete a sender',
        description: 'Its address is no longer approved, unless a *@domain approves it.',
        operationId: 'deleteSender',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      await removeSender(deps, request.principal.tenantId, request.params.id);
      return reply.code(204).send(null);
    },
  );
}

export function presentSender(sender: Sender) {
  return {
    id: sender.senderId,
    address: sender.address,
    domain_id: sender.domainId,
    active: sender.active,
    created_at: sender.createdAt.toISOString(),
  };
}

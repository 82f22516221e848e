import { type Static, Type } from 'typebox';
import { Id, nullable, openNamed, Timestamp } from '../../platform/http/api-schema.ts';
import type { AccountEvent } from './account-events-store.ts';

const Facts = Type.Unsafe<object>({ type: 'object', additionalProperties: true });

export const AccountEventSchema = openNamed('AuditEntry', {
  id: Id,
  occurred_at: Timestamp,
  actor: openNamed('AuditActor', {
    kind: Type.Enum(['key', 'user', 'operator', 'system'], { $id: 'AuditActorKind' }),
    id: nullable(
      Id,
      'Null for the command line, for automatic changes and for somebody who has not joined the account.',
    ),
    name: Type.String({ examples: ['Ana López'] }),
  }),
  action: Type.String({ description: 'The operation, in snake case.', examples: ['invite_member'] }),
  target: nullable(Type.String({ examples: ['luis@example.com'] }), 'The target of the operation.'),
  before: nullable(Facts, 'The values before the change.'),
  after: nullable(Facts, 'The values after the change.'),
  client_address: nullable(Type.String({ examples: ['192.0.2.25'] })),
  request_id: nullable(Type.String()),
});

export function presentAccountEvent(event: AccountEvent): Static<typeof AccountEventSchema> {
  return {
    id: event.eventId,
    occurred_at: event.occurredAt.toISOString(),
    actor: { kind: event.actorKind, id: event.actorId, name: event.actorName },
    action: event.action,
    target: event.target,
    before: event.before,
    after: event.after,
    client_address: event.clientAddress,
    request_id: event.requestId,
  };
}

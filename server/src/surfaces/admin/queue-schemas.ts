import { Type } from 'typebox';
import { NOTES, type Note } from '../../delivery/next-hop/traits.ts';
import { NOTE_DAYS_MAX } from '../../delivery/operate/notes.ts';
import { QUEUE_KEYS, type QueueKey } from '../../delivery/operate/queue-store.ts';
import { AcknowledgementSchema, MessageStatus } from '../../messages/present.ts';
import { COUNTED_MAX } from '../../platform/database/shared-read.ts';
import { count, Id, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import { BounceSchema, DecidingReply, DeferralSchema, ReasonShare } from '../../platform/smtp/smtp-schema.ts';
import { maybePause, PauseSchema, REASON } from './tenant-schemas.ts';

/** The queue as the admin console shows it, which is as `acuse queue --json` does. */

export const QueueKeySchema = Type.Enum([...QUEUE_KEYS] as [QueueKey, ...QueueKey[]], { $id: 'QueueKey' });

const QueueGroupSchema = named('QueueGroup', {
  key: Type.String({
    description: 'A destination, the id of an account or an age; empty for the total.',
    examples: ['example.com'],
  }),
  due: count('Messages that are due now.'),
  held: count('Messages that delivery processes are handling.'),
  waiting: count('Messages that wait for their next attempt or for a cap, or are paused.'),
  capped: count('Those of them that wait for a cap: see the caps.'),
  oldest_at: Timestamp,
  next_at: { ...Timestamp, description: 'When the next one comes due; past for those that are.' },
});
const more = Type.Boolean({
  description: `More may wait than was counted: the ${COUNTED_MAX} that are due longest, and as many that come due next.`,
});
const maybeGroup = nullable(QueueGroupSchema, 'null: nothing waits.');

const ListedPause = named('ListedPause', {
  destination: Type.Optional(Type.String({ examples: ['example.com'] })),
  tenant_id: Type.Optional(Id),
  ...PauseSchema.properties,
});

export const QueueSchema = named('Queue', {
  by: QueueKeySchema,
  total: maybeGroup,
  more,
  groups: Type.Array(QueueGroupSchema, { description: 'Most messages first.' }),
  paused: Type.Array(ListedPause, { description: 'Every pause there is, whatever the filter.' }),
});

const WindowSchema = named('DestinationWindow', {
  source_pool: Type.String({ examples: ['default'] }),
  places: count('SMTP sessions that it may have at once.'),
  in_use: count('Sessions in use.'),
  waiting: count('Messages that wait for a session.'),
  closed_until: nullable(Timestamp, 'Closed after repeated failures, until then.'),
});

const what = {
  note: Type.Enum([...NOTES] as [Note, ...Note[]], { $id: 'DestinationNoteKind' }),
  value: Type.Integer({
    minimum: 0,
    description: 'For a limit its number; for the others 1 for yes and 0 for no.',
    examples: [1],
  }),
};

export const NoteSchema = named('DestinationNote', {
  destination: Type.String({ examples: ['example.com'] }),
  ...what,
  source: Type.Enum(['learned', 'operator'], {
    description: 'Learned from attempts, or written by an operator, whose note wins.',
  }),
  reason: Type.String({ examples: ['asked for by their postmaster'] }),
  noted_by: Type.String({ examples: ['Ana <ana@example.com>'] }),
  noted_at: Timestamp,
  ends_at: nullable(Timestamp, 'null: until it is taken back.'),
});

const ShippedSchema = named('ShippedNote', {
  ...what,
  receiver: Type.String({ examples: ['Gmail'] }),
  as_of: Type.String({ format: 'date', examples: ['2026-11-27'] }),
  published: nullable(Type.String({ format: 'uri' }), 'null: a caution of this program.'),
});

export const NotesSchema = named('DestinationNotes', {
  data: Type.Array(NoteSchema, { description: "An operator's first, by destination." }),
});

export const NoteRequest = named('NewDestinationNote', {
  value: what.value,
  reason: REASON,
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: NOTE_DAYS_MAX,
      description: 'It ends after so many days; without it, when it is taken back.',
    }),
  ),
});

export const NOTE_PARAMS = Type.Object({
  name: Type.String({ description: 'Domain of the recipients.', examples: ['example.com'] }),
  note: what.note,
});

const ReplyCountSchema = named('ReplyCount', {
  code: nullable(Type.Integer({ examples: [451] })),
  text: Type.String({ examples: ['4.7.1 greylisted'] }),
  count: count('Waiting messages whose last reply this was.'),
});

const shownGroup = {
  queue: maybeGroup,
  more,
  pause: maybePause,
  last_replies: Type.Array(ReplyCountSchema, { description: 'Most frequent first, of a sample.' }),
  deferral_reasons: Type.Array(ReasonShare, {
    description: 'Why its deferred messages wait, most frequent first, of a sample.',
  }),
};

export const DestinationQueue = named('DestinationQueue', {
  destination: Type.String({ examples: ['example.com'] }),
  ...shownGroup,
  windows: Type.Array(WindowSchema, { description: 'One per delivery process and source pool.' }),
  notes: Type.Array(NoteSchema, { description: 'Notes on it, learned or written.' }),
  shipped: Type.Array(ShippedSchema, {
    description: 'The default for this large receiver without a note.',
  }),
  tenants: Type.Array(QueueGroupSchema, { description: 'By account, most messages first.' }),
});

export const TenantQueue = named('TenantQueue', {
  tenant_id: Id,
  name: Type.String({ examples: ['Example S.A.'] }),
  ...shownGroup,
  destinations: Type.Array(QueueGroupSchema, { description: 'Most messages first.' }),
});

const QueuePlaceSchema = named('QueuePlace', {
  destination: Type.String({ examples: ['example.com'] }),
  due_at: Timestamp,
  leased_until: nullable(Timestamp, 'While a delivery process handles it.'),
  expires_at: Timestamp,
  attempt: count('Attempts begun.'),
  held_by: nullable(Id, 'The cap that it waits for.'),
});

/** Without content (subject, bodies, tags, metadata): opening that takes a reason. */
export const OperatorMessage = named('OperatorMessage', {
  message_id: Id,
  tenant_id: Id,
  tenant_name: Type.String({ examples: ['Example S.A.'] }),
  source_pool: nullable(Type.String({ examples: ['bulk'] }), 'null: the default pool.'),
  status: MessageStatus,
  recipient: Type.String({ examples: ['ana@example.net'] }),
  created_at: Timestamp,
  send_at: nullable(Timestamp),
  since: { ...Timestamp, description: 'When it took the state that it is in.' },
  attempts: count('Attempts made.'),
  last_reply: nullable(DecidingReply),
  sandbox: Type.Boolean({ description: 'It goes to the test mailbox only.' }),
  queue: nullable(QueuePlaceSchema, 'null: it waits no more.'),
  tenant_pause: maybePause,
  destination_pause: maybePause,
  windows: Type.Array(WindowSchema),
  due_before: count('Messages of its account that are due before it.'),
  why: Type.Array(Type.String(), { description: 'Why it waits, or how it ended, in sentences.' }),
  sender: Type.String({ description: 'The From field.', examples: ['billing@example.com'] }),
  certified: Type.Boolean(),
  size_bytes: Type.Integer(),
  sealed_at: nullable(Timestamp),
  content_deleted_at: nullable(Timestamp),
  bounce: nullable(BounceSchema, 'How and why it bounced; null: it did not.'),
  deferral: nullable(DeferralSchema, 'Why it was deferred; null: it is not.'),
  acknowledgement: nullable(
    AcknowledgementSchema,
    'State of the acknowledgement, without what the recipient typed; null: nobody asked for one.',
  ),
});

export const PauseRequest = named('NewPause', { reason: REASON });

export const PausedSchema = named('PauseState', {
  destination: Type.Optional(Type.String()),
  tenant_id: Type.Optional(Id),
  paused: Type.Boolean(),
  reason: Type.Optional(Type.String()),
  paused_by: Type.Optional(Type.String()),
  due: Type.Optional(count('Messages that came due because it was resumed.')),
});

export const SELECTION = {
  destination: Type.Optional(Type.String({ maxLength: 253, description: 'Domain of the recipients.' })),
  tenant_id: Type.Optional({ ...Id, description: 'Id of the account.' }),
  older_than: Type.Optional({
    ...Timestamp,
    maxLength: 40,
    description: 'Only messages accepted before this moment (RFC 3339).',
  }),
};

export const SelectionSchema = named('QueueSelection', {
  total: count('Messages that wait, those that are being handed over included.'),
  retryable: count('Deferred messages that wait for their next attempt and are not paused.'),
  cancellable: count('Messages that no delivery process is handling.'),
});

export const BulkRequest = named('BulkRequest', {
  ...SELECTION,
  count: Type.Integer({
    minimum: 1,
    description: 'How many messages there are, as GET /v1/admin/queue/selection says.',
    examples: [214],
  }),
});

export const BulkResult = named('BulkResult', {
  done: count('Messages that it was done to.'),
  left: count('Messages of the count that are as they were: call again for more than 10 000.'),
});

import { Type } from 'typebox';
import { NOTES, type Note } from '../../delivery/next-hop/traits.ts';
import { NOTE_DAYS_MAX } from '../../delivery/operate/notes.ts';
import { QUEUE_KEYS, type QueueKey } from '../../delivery/operate/queue-store.ts';
import { AcknowledgementSchema, MessageStatus } from '../../messages/present.ts';
import { COUNTED_MAX } from '../../platform/database/shared-read.ts';
import { count, Id, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import { BounceSchema, DecidingReply, DeferralSchema, ReasonShare } from '../../platform/smtp/smtp-schema.ts';
import { maybePause, PauseSchema, REASON } from './tenant-schemas.ts';

/** The queue as the admin console shows it, which is as `acuse queue --json` does. */

export const QueueKeySchema = Type.Enum([...QUEUE_KEYS] as [QueueKey, ...QueueKey[]], { $id: 'QueueKey' });

const QueueGroupSchema = Type.Object(
  {
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
  },
  { additionalProperties: false, $id: 'QueueGroup' },
);
const more = Type.Boolean({
  description: `More may wait than was counted: the ${COUNTED_MAX} that are due longest, and as many that come due next.`,
});
const maybeGroup = nullable(QueueGroupSchema, 'null: nothing waits.');

const ListedPause = Type.Object(
  {
    destination: Type.Optional(Type.String({ examples: ['example.com'] })),
    tenant_id: Type.Optional(Id),
    ...PauseSchema.properties,
  },
  { additionalProperties: false, $id: 'ListedPause' },
);

export const QueueSchema = Type.Object(
  {
    by: QueueKeySchema,
    total: maybeGroup,
    more,
    groups: Type.Array(QueueGroupSchema, { description: 'Most messages first.' }),
    paused: Type.Array(ListedPause, { description: 'Every pause there is, whatever the filter.' }),
  },
  { additionalProperties: false, $id: 'Queue' },
);

const WindowSchema = Type.Object(
  {
    source_pool: Type.String({ examples: ['default'] }),
    places: count('SMTP sessions that it may have at once.'),
    in_use: count('Sessions in use.'),
    waiting: count('Messages that wait for a session.'),
    closed_until: nullable(Timestamp, 'Closed after repeated failures, until then.'),
  },
  { additionalProperties: false, $id: 'DestinationWindow' },
);

const what = {
  note: Type.Enum([...NOTES] as [Note, ...Note[]], { $id: 'DestinationNoteKind' }),
  value: Type.Integer({
    minimum: 0,
    description: 'Of a limit the number; of the others 1 for yes and 0 for no.',
    examples: [1],
  }),
};

export const NoteSchema = Type.Object(
  {
    destination: Type.String({ examples: ['example.com'] }),
    ...what,
    source: Type.Enum(['learned', 'operator'], {
      description: 'Learned from attempts, or written by an operator, whose note wins.',
    }),
    reason: Type.String({ examples: ['asked for by their postmaster'] }),
    noted_by: Type.String({ examples: ['Ana <ana@example.com>'] }),
    noted_at: Timestamp,
    ends_at: nullable(Timestamp, 'null: until it is taken back.'),
  },
  { additionalProperties: false, $id: 'DestinationNote' },
);

const ShippedSchema = Type.Object(
  {
    ...what,
    receiver: Type.String({ examples: ['Gmail'] }),
    as_of: Type.String({ format: 'date', examples: ['2026-11-27'] }),
    published: nullable(Type.String({ format: 'uri' }), 'null: a caution of this program.'),
  },
  { additionalProperties: false, $id: 'ShippedNote' },
);

export const NotesSchema = Type.Object(
  { data: Type.Array(NoteSchema, { description: "An operator's first, by destination." }) },
  { additionalProperties: false, $id: 'DestinationNotes' },
);

export const NoteRequest = Type.Object(
  {
    value: what.value,
    reason: REASON,
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: NOTE_DAYS_MAX,
        description: 'It ends after so many days; without it, when it is taken back.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'NewDestinationNote' },
);

export const NOTE_PARAMS = Type.Object({
  name: Type.String({ description: 'Domain of the recipients.', examples: ['example.com'] }),
  note: what.note,
});

const ReplyCountSchema = Type.Object(
  {
    code: nullable(Type.Integer({ examples: [451] })),
    text: Type.String({ examples: ['4.7.1 greylisted'] }),
    count: count('Waiting messages whose last reply this was.'),
  },
  { additionalProperties: false, $id: 'ReplyCount' },
);

const shownGroup = {
  queue: maybeGroup,
  more,
  pause: maybePause,
  last_replies: Type.Array(ReplyCountSchema, { description: 'Most frequent first, of a sample.' }),
  deferral_reasons: Type.Array(ReasonShare, {
    description: 'Why its deferred messages wait, most frequent first, of a sample.',
  }),
};

export const DestinationQueue = Type.Object(
  {
    destination: Type.String({ examples: ['example.com'] }),
    ...shownGroup,
    windows: Type.Array(WindowSchema, { description: 'One per delivery process and source pool.' }),
    notes: Type.Array(NoteSchema, { description: 'Notes on how to speak to it.' }),
    shipped: Type.Array(ShippedSchema, {
      description: 'The default for this large receiver without a note.',
    }),
    tenants: Type.Array(QueueGroupSchema, { description: 'By account, most messages first.' }),
  },
  { additionalProperties: false, $id: 'DestinationQueue' },
);

export const TenantQueue = Type.Object(
  {
    tenant_id: Id,
    name: Type.String({ examples: ['Example S.A.'] }),
    ...shownGroup,
    destinations: Type.Array(QueueGroupSchema, { description: 'Most messages first.' }),
  },
  { additionalProperties: false, $id: 'TenantQueue' },
);

const QueuePlaceSchema = Type.Object(
  {
    destination: Type.String({ examples: ['example.com'] }),
    due_at: Timestamp,
    leased_until: nullable(Timestamp, 'While a delivery process handles it.'),
    expires_at: Timestamp,
    attempt: count('Attempts begun.'),
    held_by: nullable(Id, 'The cap that it waits for.'),
  },
  { additionalProperties: false, $id: 'QueuePlace' },
);

/** Without content (subject, bodies, tags, metadata): opening that takes a reason. */
export const OperatorMessage = Type.Object(
  {
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
  },
  { additionalProperties: false, $id: 'OperatorMessage' },
);

export const PauseRequest = Type.Object({ reason: REASON }, { additionalProperties: false, $id: 'NewPause' });

export const PausedSchema = Type.Object(
  {
    destination: Type.Optional(Type.String()),
    tenant_id: Type.Optional(Id),
    paused: Type.Boolean(),
    reason: Type.Optional(Type.String()),
    paused_by: Type.Optional(Type.String()),
    due: Type.Optional(count('Messages that came due because it was resumed.')),
  },
  { additionalProperties: false, $id: 'PauseState' },
);

export const SELECTION = {
  destination: Type.Optional(Type.String({ maxLength: 253, description: 'Domain of the recipients.' })),
  tenant_id: Type.Optional({ ...Id, description: 'Id of the account.' }),
  older_than: Type.Optional({
    ...Timestamp,
    maxLength: 40,
    description: 'Only messages accepted before this moment (RFC 3339).',
  }),
};

export const SelectionSchema = Type.Object(
  {
    total: count('Messages that wait, those that are being handed over included.'),
    retryable: count('Deferred messages that wait for their next attempt and are not paused.'),
    cancellable: count('Messages that no delivery process is handling.'),
  },
  { additionalProperties: false, $id: 'QueueSelection' },
);

export const BulkRequest = Type.Object(
  {
    ...SELECTION,
    count: Type.Integer({
      minimum: 1,
      description: 'How many messages there are, as GET /v1/admin/queue/selection says.',
      examples: [214],
    }),
  },
  { additionalProperties: false, $id: 'BulkRequest' },
);

export const BulkResult = Type.Object(
  {
    done: count('Messages that it was done to.'),
    left: count('Messages of the count that are as they were: call again for more than 10 000.'),
  },
  { additionalProperties: false, $id: 'BulkResult' },
);

import { Type } from 'typebox';
import { Id, line, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';

const NAME_MAX_CHARS = 200;
/** A PostgreSQL integer, which is what holds a price. */
const PRICE_MAX_CENTS = 2_147_483_647;
const POOL_NAME_MAX_CHARS = 100;
const RECORD_DAYS_MAX = 36_500;

export const TenantStatusSchema = Type.Enum(['active', 'suspended', 'deactivated'], {
  description: 'A suspended or deactivated account is refused every request.',
  $id: 'TenantStatus',
});

const quota = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, examples: [10_000] });
const price = (description: string) =>
  Type.Integer({ minimum: 0, maximum: PRICE_MAX_CENTS, description, examples: [5] });

const SETTINGS = {
  default_certified: Type.Boolean({ description: 'True: a send that does not say is certified.' }),
  quota_messages_month: quota('Certified messages per UTC month.'),
  quota_plain_messages_month: quota('Plain messages per UTC month.'),
  price_per_message_cents: price('Price per certified message, in cents.'),
  price_per_plain_message_cents: price('Price per plain message, in cents.'),
};

const REQUIRE_READY_DOMAINS = Type.Optional(
  Type.Boolean({
    description: 'A send from a domain that is verified and not ready is refused as domain_not_verified.',
  }),
);

const PLAIN_RECORD_DAYS = Type.Optional(
  nullable(
    Type.Integer({ minimum: 1, maximum: RECORD_DAYS_MAX, examples: [400] }),
    'Days that records of plain messages are kept; null: as ACUSE_PLAIN_RECORD_DAYS says.',
  ),
);

const POOL_DESCRIPTION = 'Pool of ACUSE_SOURCE_POOLS that its mail is sent from.';

export const TenantSchema = named('Tenant', {
  id: Id,
  name: Type.String({ examples: ['Example S.A.'] }),
  status: TenantStatusSchema,
  sandbox: Type.Boolean({ description: 'Its mail goes to the built-in mailbox only.' }),
  source_pool: Type.String({ description: POOL_DESCRIPTION, examples: ['default'] }),
  ...SETTINGS,
  require_ready_domains: REQUIRE_READY_DOMAINS,
  plain_record_days: PLAIN_RECORD_DAYS,
  created_at: Timestamp,
});

const OPTIONAL_SETTINGS = {
  default_certified: Type.Optional(SETTINGS.default_certified),
  quota_messages_month: Type.Optional(SETTINGS.quota_messages_month),
  quota_plain_messages_month: Type.Optional(SETTINGS.quota_plain_messages_month),
  price_per_message_cents: Type.Optional(SETTINGS.price_per_message_cents),
  price_per_plain_message_cents: Type.Optional(SETTINGS.price_per_plain_message_cents),
  require_ready_domains: REQUIRE_READY_DOMAINS,
  plain_record_days: PLAIN_RECORD_DAYS,
};

export const NewTenant = named('NewTenant', {
  name: line(NAME_MAX_CHARS, { examples: ['Example S.A.'] }),
  ...OPTIONAL_SETTINGS,
});

export const TenantChangeSchema = named(
  'TenantChange',
  {
    name: Type.Optional(line(NAME_MAX_CHARS)),
    status: Type.Optional(TenantStatusSchema),
    source_pool: Type.Optional(
      Type.String({ maxLength: POOL_NAME_MAX_CHARS, description: POOL_DESCRIPTION, examples: ['bulk'] }),
    ),
    ...OPTIONAL_SETTINGS,
  },
  { minProperties: 1 },
);

export const REASON_MAX_CHARS = 500;
export const REASON = line(REASON_MAX_CHARS, {
  description: 'Why, for the record; it is kept.',
  examples: ['ticket 4711'],
});

export const PauseSchema = named('Pause', {
  reason: Type.String({ examples: ['ticket 4711'] }),
  paused_by: Type.String({ examples: ['Ana <ana@example.com>'] }),
  paused_at: Timestamp,
});

export const maybePause = nullable(PauseSchema);

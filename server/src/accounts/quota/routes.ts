import { Type } from 'typebox';
import type { DbAndClock } from '../../platform/database/db.ts';
import { Id, named, nullable, openNamed, Timestamp } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { type Principal, SCOPES } from '../../platform/http/http.ts';
import { type Account, readAccount } from './account.ts';

const BagUsage = openNamed('QuotaUsage', {
  used: Type.Integer({
    description: 'Messages accepted this month; replays and refused sends are not counted.',
    examples: [120],
  }),
  quota: Type.Integer({ examples: [10_000] }),
  remaining: Type.Integer({ examples: [9_880] }),
  price_cents: Type.Integer({ description: 'Price of the usage this month, in cents.', examples: [600] }),
});

export const AccountSchema = openNamed('Account', {
  id: Id,
  name: Type.String({ examples: ['Example SA'] }),
  status: Type.Enum(['active', 'suspended', 'deactivated'], { $id: 'AccountStatus' }),
  sandbox: Type.Boolean({ description: 'Mail of this account goes only to the built-in mailbox.' }),
  created_at: Timestamp,
  api_key: nullable(
    named('CallingKey', {
      id: Id,
      scopes: Type.Array(Type.Enum([...SCOPES], { $id: 'Scope' })),
      resource: Type.Optional(
        Type.String({
          description: 'URL of the MCP server that the key was granted for. Absent for other keys.',
          examples: ['https://mcp.example.com/mcp'],
        }),
      ),
      needs_approval: Type.Optional(
        Type.Boolean({
          description: 'Each send waits until a person approves it in the portal. Absent for other keys.',
        }),
      ),
    }),
    'The API key that this request was made with; null in the portal.',
  ),
  settings: openNamed('AccountSettings', {
    default_certified: Type.Boolean({
      description: 'True: a send that does not set certified is certified; always applies to message/rfc822.',
    }),
    quota_messages_month: Type.Integer({
      description: 'Monthly quota of certified messages.',
      examples: [10_000],
    }),
    quota_plain_messages_month: Type.Integer({
      description: 'Monthly quota of plain messages.',
      examples: [100_000],
    }),
    price_per_message_cents: Type.Integer({
      description: 'Price per certified message, in cents.',
      examples: [5],
    }),
    price_per_plain_message_cents: Type.Integer({
      description: 'Price per plain message, in cents.',
      examples: [1],
    }),
    require_ready_domains: Type.Optional(
      Type.Boolean({
        description: 'A send from a domain that is verified and not ready is refused as domain_not_verified.',
      }),
    ),
    plain_record_days: Type.Optional(
      Type.Integer({
        description:
          'Days after which a plain message is deleted with its record; sent again, its Idempotency-Key is refused as accepted_before.',
        examples: [400],
      }),
    ),
  }),
  usage: openNamed('AccountUsage', {
    month: Type.String({ description: 'UTC calendar month.', examples: ['2026-11'] }),
    resets_at: Timestamp,
    certified: BagUsage,
    plain: BagUsage,
    constancias: openNamed('ConstanciaUsage', {
      on_demand: Type.Integer({
        description: 'Constancias over single messages requested this month.',
        examples: [2],
      }),
      cost_cents: Type.Number({
        description:
          "The account's share of what the time-stamping authorities charged this month: its leaves of each batch, and the constancias that it requested itself.",
        examples: [71.5],
      }),
    }),
  }),
});

interface AccountDeps extends DbAndClock {
  readonly config: { readonly plainRecordDays: number; readonly plainRetentionDays: number };
}

export function accountRoutes(doors: Doors, deps: AccountDeps): void {
  doors.get(
    '/account',
    {
      config: { scopes: ['evidence:read'] },
      schema: {
        summary: 'Read the account',
        description:
          'State and settings of the account, and its use of both quotas in this UTC month, with the price.',
        operationId: 'getAccount',
        response: { 200: AccountSchema },
      },
    },
    async (request) =>
      presentAccount(
        await readAccount(deps.db, request.principal.tenantId, deps.clock.now()),
        request.principal,
        deps.config,
      ),
  );
}

function presentAccount(
  { tenant, usage }: Account,
  { actor, scopes, resource, narrowing }: Principal,
  { plainRecordDays, plainRetentionDays }: AccountDeps['config'],
) {
  return {
    id: tenant.tenantId,
    name: tenant.name,
    status: tenant.status,
    sandbox: tenant.sandbox,
    created_at: tenant.createdAt.toISOString(),
    api_key:
      actor.kind === 'key'
        ? {
            ...{ id: actor.id, scopes: [...scopes] },
            ...(narrowing?.needsApproval === true && { needs_approval: true }),
            ...(resource !== undefined && { resource }),
          }
        : null,
    settings: {
      default_certified: tenant.defaultCertified,
      require_ready_domains: tenant.requireReadyDomains,
      quota_messages_month: tenant.quotaMessagesMonth,
      quota_plain_messages_month: tenant.quotaPlainMessagesMonth,
      price_per_message_cents: tenant.pricePerMessageCents,
      price_per_plain_message_cents: tenant.pricePerPlainMessageCents,
      plain_record_days: Math.max(tenant.plainRecordDays ?? plainRecordDays, plainRetentionDays),
    },
    usage,
  };
}

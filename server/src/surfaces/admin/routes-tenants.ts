import { type Static, Type } from 'typebox';
import { appendAccountChange } from '../../accounts/audit/account-change.ts';
import {
  changeTenantFrom,
  createTenant,
  readTenant,
  readTenants,
} from '../../accounts/tenants/operations.ts';
import { presentTenant, readSourcePool } from '../../accounts/tenants/present.ts';
import type { AccountSettings, TenantChange } from '../../accounts/tenants/store.ts';
import { apiError } from '../../errors.ts';
import { closed, errorAnswers, ID_PARAMS, LOCATION } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { PAGE_QUERY, pageSchema, parsePage, toPage } from '../../platform/http/page.ts';
import { BY_ADMIN, BY_SUPPORT } from './access.ts';
import { operatorSource } from './audit.ts';
import type { AdminDeps } from './deps.ts';
import { NewTenant, TenantChangeSchema, TenantSchema, TenantStatusSchema } from './tenant-schemas.ts';

const SEARCH_MAX_CHARS = 200;

/** Accounts: `acuse tenants` over HTTP. */
export function tenantRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/tenants',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listTenants',
        summary: 'List accounts',
        description: 'Newest first.',
        querystring: closed({
          ...PAGE_QUERY,
          q: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: SEARCH_MAX_CHARS,
              description: 'Part of the name, whatever its case, or the id.',
            }),
          ),
          status: Type.Optional(TenantStatusSchema),
        }),
        response: { 200: pageSchema(TenantSchema) },
      },
    },
    async (request) => {
      const page = parsePage(request);
      const { q = null, status = null } = request.query;
      const rows = await readTenants(deps, page.afterId, page.fetch, { named: q, status });
      return toPage(rows, page, (tenant) => tenant.tenantId, presentTenant);
    },
  );

  doors.post(
    '/tenants',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'createTenant',
        summary: 'Create an account',
        description: 'Absent fields have the defaults of acuse tenants create.',
        body: NewTenant,
        response: { 201: TenantSchema },
        answers: { 201: { headers: LOCATION } },
      },
    },
    async (request, reply) => {
      const { name } = request.body;
      const tenant = await deps.audit.change(
        request,
        { action: 'tenant.create', subject: name },
        async () => {
          const made = presentTenant(await createTenant(deps, { name, ...readSettings(request.body) }));
          return { answer: made, after: made, tenantId: made.id };
        },
      );
      return reply.code(201).header('Location', `/v1/admin/tenants/${tenant.id}`).send(tenant);
    },
  );
  oneTenantRoutes(doors, deps);
}

function oneTenantRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/tenants/:id',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getTenant',
        summary: 'Read an account',
        params: ID_PARAMS,
        response: { 200: TenantSchema, ...errorAnswers('not_found') },
      },
    },
    async (request) => presentTenant(await readTenant(deps, request.params.id)),
  );

  doors.patch(
    '/tenants/:id',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'updateTenant',
        summary: 'Change an account',
        description:
          'Its name, state, default, quotas, prices, source pool or the days of its records; what is not given stays. Takes effect within two seconds in every process.',
        params: ID_PARAMS,
        body: TenantChangeSchema,
        response: { 200: TenantSchema, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { id } = request.params;
      const change = readChange(deps, request.body);
      return deps.audit.change(request, { action: 'tenant.update', tenantId: id }, async () => {
        const changed = await changeTenantFrom(deps, id, change, (tx, { before, after }) =>
          appendAccountChange(
            tx,
            before.tenantId,
            operatorSource(request),
            { before: presentTenant(before), after: presentTenant(after) },
            deps.clock.now(),
          ),
        );
        const [before, after] = [presentTenant(changed.before), presentTenant(changed.after)];
        return { answer: after, ...differences(before, after) };
      });
    },
  );
}

type GivenSettings = Omit<Static<typeof TenantChangeSchema>, 'name' | 'status' | 'source_pool'>;

function readSettings(given: GivenSettings): Partial<AccountSettings> {
  return withoutAbsent({
    defaultCertified: given.default_certified,
    quotaMessagesMonth: given.quota_messages_month,
    quotaPlainMessagesMonth: given.quota_plain_messages_month,
    pricePerMessageCents: given.price_per_message_cents,
    pricePerPlainMessageCents: given.price_per_plain_message_cents,
    requireReadyDomains: given.require_ready_domains,
    plainRecordDays: given.plain_record_days,
  });
}

function readChange(
  { config }: Pick<AdminDeps, 'config'>,
  given: Static<typeof TenantChangeSchema>,
): TenantChange {
  const { name, status, source_pool: pool } = given;
  const change: TenantChange = { ...readSettings(given), ...withoutAbsent({ name, status }) };
  if (pool !== undefined) {
    const read = readSourcePool(pool, config.sourcePools ?? []);
    if ('unknown' in read) throw apiError('invalid_body', `source_pool: ${read.unknown}.`);
    change.sourcePool = read.pool;
  }
  return change;
}

function withoutAbsent<T extends object>(given: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}

function differences<T extends object>(before: T, after: T) {
  const changed = (Object.keys(after) as (keyof T)[]).filter((key) => before[key] !== after[key]);
  const pick = (of: T) => Object.fromEntries(changed.map((key) => [key, of[key]]));
  return { before: pick(before), after: pick(after) };
}

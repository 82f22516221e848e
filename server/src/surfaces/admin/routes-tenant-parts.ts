import { Type } from 'typebox';
import { endApiKey, readApiKeys } from '../../accounts/api-keys/operations.ts';
import { ListedKey, presentKey } from '../../accounts/api-keys/routes.ts';
import { appendAccountEvent } from '../../accounts/audit/append.ts';
import { presentDomain } from '../../accounts/domains/present.ts';
import { markVerified, readDomains } from '../../accounts/domains/register.ts';
import { DomainSchema } from '../../accounts/domains/routes.ts';
import { readAccount } from '../../accounts/quota/account.ts';
import { AccountSchema } from '../../accounts/quota/routes.ts';
import { RatesQuery, RatesRecord, readRates } from '../../accounts/rates/routes.ts';
import { readTenant } from '../../accounts/tenants/operations.ts';
import type { Tx } from '../../platform/database/db.ts';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  Id,
  NoContent,
  named,
  nullable,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { readPage } from '../../platform/http/own-rows.ts';
import { PAGE_QUERY, pageSchema, parsePage } from '../../platform/http/page.ts';
import { disablesAt } from '../../webhooks/endpoint-routes.ts';
import { type AnsweredEndpointRow, listAnsweredEndpoints } from '../../webhooks/endpoint-store.ts';
import { BY_ADMIN, BY_SUPPORT } from './access.ts';
import { operatorSource } from './audit.ts';
import type { AdminDeps } from './deps.ts';

const TENANT_ID = Type.String({ description: 'Id of the account.' });
const KEY_PARAMS = Type.Object({ id: TENANT_ID, kid: Type.String({ description: 'Id of the API key.' }) });
const DOMAIN_PARAMS = Type.Object({ id: TENANT_ID, did: Type.String({ description: 'Id of the domain.' }) });
const LIST_QUERY = closed(PAGE_QUERY);
const TenantWebhook = named('TenantWebhook', {
  id: Id,
  host: Type.String({
    description: 'Scheme and host of its URL; the rest may hold a secret.',
    examples: ['https://erp.example.com'],
  }),
  description: nullable(Type.String(), 'Name that its account gave it.'),
  enabled: Type.Boolean(),
  disabled_reason: nullable(Type.Enum(['gone', 'failing', 'manual'])),
  failing_since: nullable(Timestamp, 'First failure since the last success.'),
  disables_at: nullable(Timestamp, 'When it is disabled if it does nothing but fail until then.'),
  last_attempt_at: nullable(Timestamp, 'null: none is on record for its newest deliveries.'),
  last_status_code: nullable(Type.Integer(), 'null: no answer came.'),
  last_error: nullable(Type.String(), 'Why the last attempt failed; null: it did not.'),
});

export function tenantPartRoutes(doors: Doors, deps: AdminDeps): void {
  figureRoutes(doors, deps);
  keyRoutes(doors, deps);
  domainRoutes(doors, deps);
  webhookRoutes(doors, deps);
}

function keyRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/tenants/:id/api-keys',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listTenantApiKeys',
        summary: "List an account's API keys",
        params: ID_PARAMS,
        querystring: LIST_QUERY,
        response: { 200: pageSchema(ListedKey), ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = await readTenant(deps, request.params.id);
      return readApiKeys(deps, tenantId, parsePage(request), presentKey);
    },
  );

  doors.delete(
    '/tenants/:id/api-keys/:kid',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'revokeTenantApiKey',
        summary: "Revoke an account's API key",
        description: 'For good, within two seconds in every process.',
        params: KEY_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { id, kid } = request.params;
      await deps.audit.change(request, { action: 'api_key.revoke', tenantId: id, subject: kid }, async () => {
        const { tenantId } = await readTenant(deps, id);
        const seen = (tx: Tx) =>
          appendAccountEvent(
            tx,
            tenantId,
            operatorSource(request),
            { action: 'revoke_api_key', target: kid },
            deps.clock.now(),
          );
        return { answer: await endApiKey(deps, tenantId, kid, seen) };
      });
      return reply.code(204).send(null);
    },
  );
}

function domainRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/tenants/:id/domains',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listTenantDomains',
        summary: "List an account's domains",
        params: ID_PARAMS,
        querystring: LIST_QUERY,
        response: { 200: pageSchema(DomainSchema), ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = await readTenant(deps, request.params.id);
      return readDomains(deps, tenantId, null, parsePage(request), (domain) =>
        presentDomain(domain, deps.domains.returnPathHost),
      );
    },
  );

  doors.post(
    '/tenants/:id/domains/:did/vouch',
    {
      config: BY_ADMIN,
      schema: {
        operationId: 'vouchForTenantDomain',
        summary: 'Vouch for a domain',
        description:
          "Marks it as verified on the operator's word: it is never looked up again automatically. 409 while another account holds the name.",
        params: DOMAIN_PARAMS,
        response: { 200: DomainSchema, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request) => {
      const { id, did } = request.params;
      return deps.audit.change(request, { action: 'domain.vouch', tenantId: id, subject: did }, async () => {
        const { tenantId } = await readTenant(deps, id);
        const seen = (tx: Tx, name: string) =>
          appendAccountEvent(
            tx,
            tenantId,
            operatorSource(request),
            { action: 'vouch_for_domain', target: name },
            deps.clock.now(),
          );
        const domain = await markVerified(deps.domains, tenantId, did, seen);
        const answer = presentDomain(domain, deps.domains.returnPathHost);
        return { answer, after: { name: answer.name, status: answer.status } };
      });
    },
  );
}

function webhookRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/tenants/:id/webhooks',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listTenantWebhooks',
        summary: "List an account's webhooks",
        description: 'Their state, and what the last attempt came to, newest first.',
        params: ID_PARAMS,
        querystring: LIST_QUERY,
        response: { 200: pageSchema(TenantWebhook), ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = await readTenant(deps, request.params.id);
      return readPage(deps.db, tenantId, parsePage(request), listAnsweredEndpoints, {
        idOf: (row) => row.webhook_id,
        present: presentWebhook,
      });
    },
  );
}

function presentWebhook(row: AnsweredEndpointRow) {
  return {
    id: row.webhook_id,
    host: new URL(row.url).origin,
    description: row.description,
    enabled: row.enabled,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since?.toISOString() ?? null,
    disables_at: disablesAt(row)?.toISOString() ?? null,
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
    last_status_code: row.last_status_code,
    last_error: row.last_error,
  };
}

function figureRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/tenants/:id/usage',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getTenantUsage',
        summary: "Read an account's usage",
        description: 'Of both quotas in this UTC month, with the price.',
        params: ID_PARAMS,
        response: { 200: AccountSchema.properties.usage, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = await readTenant(deps, request.params.id);
      return (await readAccount(deps.db, tenantId, deps.clock.now())).usage;
    },
  );

  doors.get(
    '/tenants/:id/rates',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getTenantRates',
        summary: "Read an account's rates",
        params: ID_PARAMS,
        querystring: RatesQuery,
        response: { 200: RatesRecord, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { tenantId } = await readTenant(deps, request.params.id);
      return readRates(deps, tenantId, request.query.days);
    },
  );
}

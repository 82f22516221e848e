import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { appendAccountEvent } from '../audit/append.ts';
import { apiError } from '../errors.ts';
import type { Changes } from '../platform/database/changes.ts';
import { BODY_ERRORS, errorAnswers, KEYED_ERRORS, line } from '../platform/http/api-schema.ts';
import type { Doors } from '../platform/http/door.ts';
import { changeTenantFrom, readTenant } from '../tenants/operations.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import { clientOf, type PortalSessions } from './portal-sessions.ts';
import { findPolicy, putPolicy } from './settings-store.ts';
import { sourceOf } from './sign-in.ts';

const NAME_MAX_CHARS = 200;
const tags = ['People'];
const name = line(NAME_MAX_CHARS, {
  description: 'As its people and invitations show it.',
  examples: ['Example S.A.'],
});
const requireSecondFactor = Type.Boolean({
  description: 'People without a second factor get in nowhere until they have one.',
});

const Policy = Type.Object(
  { name, require_second_factor: requireSecondFactor },
  { additionalProperties: false, $id: 'AccountPolicy' },
);
const PolicyChange = Type.Object(
  { name: Type.Optional(name), require_second_factor: Type.Optional(requireSecondFactor) },
  { additionalProperties: false, minProperties: 1, $id: 'AccountPolicyChange' },
);

export type SettingsDeps = PortalSessions & { readonly changes: Changes };

/** What owners decide of their account. */
export function settingsRoutes(doors: Doors, deps: SettingsDeps): void {
  doors.get(
    '/settings',
    {
      config: { admits: 'owner' as const },
      schema: {
        summary: 'Read what owners decide of the account',
        tags,
        operationId: 'getPolicy',
        response: { 200: Policy, ...errorAnswers(...KEYED_ERRORS) },
      },
    },
    (request) => readSettings(deps, request.principal.tenantId),
  );

  doors.patch(
    '/settings',
    {
      config: { admits: 'owner' as const, stepUp: true },
      schema: {
        summary: 'Change what owners decide of the account',
        description: 'What is left out stays as it is.',
        tags,
        operationId: 'updatePolicy',
        body: PolicyChange,
        response: { 200: Policy, ...errorAnswers(...KEYED_ERRORS, ...BODY_ERRORS, 'conflict') },
      },
    },
    async (request) => {
      const { name: newName, require_second_factor: required } = request.body;
      if (required === true && !hasSecondFactor(request.portalSession))
        throw apiError(
          'conflict',
          'Set up your own second factor first: otherwise you would lock yourself out.',
        );
      if (newName !== undefined) await rename(deps, request, newName.trim());
      if (required !== undefined) await requireFactor(deps, request, required);
      return readSettings(deps, request.principal.tenantId);
    },
  );
}

async function readSettings({ db }: SettingsDeps, tenantId: string) {
  const { name: known } = await readTenant({ db }, tenantId);
  const policy = await db.asSessions((tx) => findPolicy(tx, tenantId));
  return { name: known, require_second_factor: policy.requireSecondFactor };
}

async function rename(deps: SettingsDeps, request: FastifyRequest, to: string): Promise<void> {
  const { tenantId } = request.principal;
  await changeTenantFrom(deps, tenantId, { name: to }, async (tx, { before, after }) => {
    if (before.name === after.name) return;
    const entry = { action: 'rename_account', before: { name: before.name }, after: { name: after.name } };
    await appendAccountEvent(tx, tenantId, sourceOfRequest(request), entry, deps.clock.now());
  });
}

async function requireFactor(
  { db, clock }: SettingsDeps,
  request: FastifyRequest,
  required: boolean,
): Promise<void> {
  const { tenantId } = request.principal;
  await db.asSessions(async (tx) => {
    const before = await findPolicy(tx, tenantId);
    if (before.requireSecondFactor === required) return;
    await putPolicy(tx, tenantId, { requireSecondFactor: required });
    const entry = {
      action: 'update_policy',
      before: { require_second_factor: before.requireSecondFactor },
      after: { require_second_factor: required },
    };
    await appendAccountEvent(tx, tenantId, sourceOfRequest(request), entry, clock.now());
  });
}

function sourceOfRequest(request: FastifyRequest) {
  return sourceOf(request.portalSession, clientOf(request));
}

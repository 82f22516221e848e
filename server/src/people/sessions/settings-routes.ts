import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type AuditEntry, appendAccountEvent } from '../../accounts/audit/append.ts';
import { changeTenantFrom, readTenant } from '../../accounts/tenants/operations.ts';
import { apiError } from '../../errors.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { Tx } from '../../platform/database/db.ts';
import { errorAnswers, line, named } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { clientOf } from './client.ts';
import { hasSecondFactor } from './has-second-factor.ts';
import type { PortalSessions } from './portal-sessions.ts';
import { sourceOf } from './record.ts';
import { findPolicy, putPolicy } from './settings-store.ts';

const NAME_MAX_CHARS = 200;
const name = line(NAME_MAX_CHARS, {
  description: 'As its people and invitations show it.',
  examples: ['Example S.A.'],
});
const requireSecondFactor = Type.Boolean({
  description: 'People without a second factor cannot open anything until they have one.',
});

const Policy = named('AccountPolicy', { name, require_second_factor: requireSecondFactor });
const PolicyChange = named(
  'AccountPolicyChange',
  { name: Type.Optional(name), require_second_factor: Type.Optional(requireSecondFactor) },
  { minProperties: 1 },
);

export type SettingsDeps = PortalSessions & { readonly changes: Changes };

export function settingsRoutes(doors: Doors, deps: SettingsDeps): void {
  doors.get(
    '/settings',
    {
      config: { admits: 'owner' as const },
      schema: {
        summary: 'Read the settings that owners make',
        operationId: 'getPolicy',
        response: { 200: Policy },
      },
    },
    (request) => readSettings(deps, request.principal.tenantId),
  );

  doors.patch(
    '/settings',
    {
      config: { admits: 'owner' as const, stepUp: true },
      schema: {
        summary: 'Change the settings that owners make',
        description: 'Absent fields stay as they are.',
        operationId: 'updatePolicy',
        body: PolicyChange,
        response: { 200: Policy, ...errorAnswers('conflict') },
      },
    },
    async (request) => {
      const { name: newName, require_second_factor: required } = request.body;
      if (required === true && !hasSecondFactor(request.portalSession))
        throw apiError(
          'conflict',
          'Set up your own second factor first: otherwise you would lock yourself out.',
        );
      return changeSettings(deps, request, { name: newName?.trim(), required });
    },
  );
}

async function readSettings({ db }: SettingsDeps, tenantId: string) {
  const { name: known } = await readTenant({ db }, tenantId);
  const policy = await db.asSessions((tx) => findPolicy(tx, tenantId));
  return { name: known, require_second_factor: policy.requireSecondFactor };
}

interface SettingsChange {
  readonly name: string | undefined;
  readonly required: boolean | undefined;
}

/** Changes all settings or none, with the entry in the record, in one transaction; a second change waits. */
async function changeSettings(
  deps: SettingsDeps,
  request: FastifyRequest,
  { name, required }: SettingsChange,
) {
  const { tenantId } = request.principal;
  const at = deps.clock.now();
  let requires = false;
  const append = (tx: Tx, entry: AuditEntry) =>
    appendAccountEvent(tx, tenantId, sourceOfRequest(request), entry, at);
  const { after } = await changeTenantFrom(
    deps,
    tenantId,
    { ...(name !== undefined && { name }) },
    async (tx, { before, after }) => {
      if (before.name !== after.name)
        await append(tx, {
          action: 'rename_account',
          before: { name: before.name },
          after: { name: after.name },
        });
      const policy = await findPolicy(tx, tenantId);
      requires = required ?? policy.requireSecondFactor;
      if (requires === policy.requireSecondFactor) return;
      await putPolicy(tx, tenantId, { requireSecondFactor: requires });
      await append(tx, {
        action: 'update_policy',
        before: { require_second_factor: policy.requireSecondFactor },
        after: { require_second_factor: requires },
      });
    },
  );
  return { name: after.name, require_second_factor: requires };
}

function sourceOfRequest(request: FastifyRequest) {
  return sourceOf(request.portalSession, clientOf(request));
}

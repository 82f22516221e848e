import { Type } from 'typebox';
import { hasMembers } from '../../people/sessions/members-store.ts';
import type { Db } from '../../platform/database/db.ts';
import { named } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { readSteps } from './onboarding-store.ts';

const STEPS = ['sent', 'sealed', 'verified', 'domain', 'invited', 'webhook'] as const;

const Onboarding = named('Onboarding', {
  steps: Type.Array(
    named('OnboardingStep', {
      step: Type.Enum([...STEPS], {
        description:
          'sent: a message was accepted. sealed: one has a constancia. verified: one was verified online. domain: a domain is or was verified. invited: somebody else belongs to the account. webhook: an endpoint exists.',
        $id: 'OnboardingStepName',
      }),
      done: Type.Boolean(),
    }),
    { description: 'Every step, in order.' },
  ),
});

const OTHERS = 2;

export function onboardingRoutes(doors: Doors, { db }: { readonly db: Db }): void {
  doors.get(
    '/onboarding',
    {
      config: { scopes: ['evidence:read'] },
      schema: {
        operationId: 'getOnboarding',
        summary: 'Read which first steps are done',
        description: 'Derived from what the account has: nothing is recorded for it.',
        response: { 200: Onboarding },
      },
    },
    async (request) => {
      const { tenantId } = request.principal;
      const [steps, invited] = await Promise.all([
        db.asTenant(tenantId, (tx) => readSteps(tx, tenantId)),
        db.asSessions((tx) => hasMembers(tx, tenantId, OTHERS)),
      ]);
      const done = { ...steps, invited };
      return { steps: STEPS.map((step) => ({ step, done: done[step] })) };
    },
  );
}

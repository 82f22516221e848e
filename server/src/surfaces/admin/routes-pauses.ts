import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { presentPausable } from '../../delivery/operate/present.ts';
import { type Pausable, pauseQueue, resumeQueue } from '../../delivery/operate/queue.ts';
import { apiError } from '../../errors.ts';
import { errorAnswers, ID_PARAMS } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { BY_SUPPORT, nameOf } from './access.ts';
import type { Change } from './audit.ts';
import type { AdminDeps } from './deps.ts';
import { PausedSchema, PauseRequest } from './queue-schemas.ts';

const DESTINATION = '/queue/pauses/destinations/:name';
const TENANT = '/queue/pauses/tenants/:id';
const NAME_PARAMS = Type.Object({
  name: Type.String({ description: 'Domain of the recipients.', examples: ['example.com'] }),
});
const PAUSE_DESCRIPTION =
  'Until it is resumed, across restarts. Every delivery process obeys within two seconds; SMTP sessions in progress finish. Messages expire 48 hours after acceptance, paused or not. Pausing again changes the reason.';
const RESUME_DESCRIPTION = 'Messages held back become due at once. 409 when it is not paused.';

/** `acuse queue pause` and `resume` over HTTP. */
export function pauseRoutes(doors: Doors, deps: AdminDeps): void {
  const response = { 200: PausedSchema, ...errorAnswers('invalid_address') };
  doors.put(
    DESTINATION,
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'pauseDestination',
        summary: 'Pause the mail to a destination',
        description: PAUSE_DESCRIPTION,
        params: NAME_PARAMS,
        body: PauseRequest,
        response,
      },
    },
    (request) => pause(deps, request, { destination: request.params.name }, request.body.reason),
  );
  doors.put(
    TENANT,
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'pauseTenant',
        summary: 'Pause the mail of an account',
        description: PAUSE_DESCRIPTION,
        params: ID_PARAMS,
        body: PauseRequest,
        response: { 200: PausedSchema, ...errorAnswers('not_found') },
      },
    },
    (request) => pause(deps, request, { tenantId: request.params.id }, request.body.reason),
  );
  resumeRoutes(doors, deps);
}

function resumeRoutes(doors: Doors, deps: AdminDeps): void {
  doors.delete(
    DESTINATION,
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'resumeDestination',
        summary: 'Resume the mail to a destination',
        description: RESUME_DESCRIPTION,
        params: NAME_PARAMS,
        response: { 200: PausedSchema, ...errorAnswers('invalid_address', 'conflict') },
      },
    },
    (request) => resume(deps, request, { destination: request.params.name }),
  );
  doors.delete(
    TENANT,
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'resumeTenant',
        summary: 'Resume the mail of an account',
        description: RESUME_DESCRIPTION,
        params: ID_PARAMS,
        response: { 200: PausedSchema, ...errorAnswers('conflict') },
      },
    },
    (request) => resume(deps, request, { tenantId: request.params.id }),
  );
}

function pause({ audit, ...deps }: AdminDeps, request: FastifyRequest, what: Pausable, reason: string) {
  return audit.change(request, { action: 'queue.pause', reason, ...named(what) }, async () => {
    const by = nameOf(request);
    await pauseQueue(deps, what, { reason: reason.trim(), by });
    return { answer: { ...presentPausable(what), paused: true, reason: reason.trim(), paused_by: by } };
  });
}

function resume({ audit, ...deps }: AdminDeps, request: FastifyRequest, what: Pausable) {
  return audit.change(request, { action: 'queue.resume', ...named(what) }, async () => {
    const due = await resumeQueue(deps, what);
    if (due === null)
      throw apiError(
        'conflict',
        `${'destination' in what ? what.destination : 'The account'} is not paused.`,
      );
    return { answer: { ...presentPausable(what), paused: false, due }, after: { due } };
  });
}

function named(what: Pausable): Pick<Change, 'tenantId' | 'subject'> {
  return 'destination' in what ? { subject: what.destination } : { tenantId: what.tenantId };
}

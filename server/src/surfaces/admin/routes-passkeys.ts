import { deviceOf } from '../../people/sessions/device.ts';
import {
  AddedPasskey,
  NewPasskeySchema,
  PasskeyChange,
  PasskeyList,
  PasskeySchema,
  ProofOptions,
  RegistrationOptions,
} from '../../people/sessions/passkey-schemas.ts';
import {
  beginRegistration,
  beginShowing,
  beginSignIn,
  presentPasskey,
} from '../../people/sessions/passkeys.ts';
import { clientOf, giveCookie } from '../../people/sessions/portal-sessions.ts';
import { SESSION_ERRORS } from '../../people/sessions/session-routes.ts';
import { BODY_ERRORS, errorAnswers, ID_PARAMS, LOCATION, NoContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { assertMayEnrol } from './factors.ts';
import type { OperatorSessions } from './operator-sessions.ts';
import { addPasskey, nameOwnPasskey, readOwnPasskeys, removePasskey } from './own-passkeys.ts';

const errors = [...SESSION_ERRORS, ...BODY_ERRORS] as const;

/** Signing in to the console with a passkey, and the passkeys of the operator who is signed in. */
export function passkeyRoutes(doors: Doors, sessions: OperatorSessions): void {
  optionRoutes(doors, sessions);
  additionRoutes(doors, sessions);
  ownPasskeyRoutes(doors, sessions);
}

function optionRoutes(doors: Doors, { own, passkeys }: OperatorSessions): void {
  const tags = ['Sign-in'];
  doors.post(
    '/session/passkey-options',
    {
      config: { admits: 'nobody' as const },
      schema: {
        summary: 'Begin to sign in with a passkey',
        description:
          'Options for navigator.credentials.get(); what it gives goes to POST /v1/admin/session with the attempt. 409 where browsers show no passkey: without TLS, or under an IP address.',
        tags,
        operationId: 'beginPasskeySignIn',
        response: { 200: ProofOptions, ...errorAnswers(...errors, 'conflict') },
      },
    },
    async (request) => beginSignIn(passkeys, own.relyingParty(request.headers.host)),
  );

  doors.post(
    '/session/own-passkey-options',
    {
      config: { admits: 'half' as const },
      schema: {
        summary: 'Begin to show a passkey',
        description:
          'As the second factor, or to confirm who is signed in. 409 for somebody who has no passkey, and where browsers show none.',
        tags,
        operationId: 'beginPasskeyProof',
        response: { 200: ProofOptions, ...errorAnswers(...errors, 'conflict') },
      },
    },
    async (request) => {
      const { operatorId: ownerId, sessionId } = request.operatorSession;
      return beginShowing(passkeys, own.relyingParty(request.headers.host), { ownerId, sessionId });
    },
  );
}

function additionRoutes(doors: Doors, sessions: OperatorSessions): void {
  const config = { admits: 'half', stepUp: true } as const;
  const tags = ['You'];
  doors.post(
    '/operator/passkeys/options',
    {
      config,
      schema: {
        summary: 'Begin to add a passkey',
        description:
          'Options for navigator.credentials.create(); what it gives goes to POST /v1/admin/operator/passkeys with the attempt. 409 for somebody who has 20, and where browsers make none.',
        tags,
        operationId: 'beginPasskey',
        response: { 200: RegistrationOptions, ...errorAnswers(...errors, 'conflict') },
      },
    },
    async (request) => {
      const { operatorSession: session } = request;
      assertMayEnrol(session);
      const { operatorId: id, sessionId, email, name } = session;
      const party = sessions.own.relyingParty(request.headers.host);
      return beginRegistration(sessions.passkeys, party, { owner: { id, email, name }, sessionId });
    },
  );

  doors.post(
    '/operator/passkeys',
    {
      config,
      schema: {
        summary: 'Add a passkey',
        description:
          'It signs in alone, and is a second factor: a password alone opens nothing from now on. The first second factor comes with ten recovery codes and ends all other sessions.',
        tags,
        operationId: 'addPasskey',
        body: NewPasskeySchema,
        answers: { 201: { headers: LOCATION } },
        response: { 201: AddedPasskey, ...errorAnswers(...errors, 'conflict') },
      },
    },
    async (request, reply) => {
      const client = clientOf(request);
      const { attempt, credential, name = deviceOf(client.userAgent) } = request.body;
      const given = { attempt, credential, name: name.trim() };
      const what = { action: 'self.add_passkey', subject: given.name };
      const { passkey, recoveryCodes, cookie } = await sessions.audit.change(request, what, async () => ({
        answer: await addPasskey(sessions, request.operatorSession, given, client),
      }));
      if (cookie !== null) giveCookie(sessions, reply, cookie);
      return reply
        .header('location', `/v1/admin/operator/passkeys/${passkey.passkeyId}`)
        .code(201)
        .send({ passkey: presentPasskey(passkey), recovery_codes: recoveryCodes });
    },
  );
}

function ownPasskeyRoutes(doors: Doors, sessions: OperatorSessions): void {
  const tags = ['You'];
  const { audit } = sessions;
  doors.get(
    '/operator/passkeys',
    {
      schema: {
        summary: 'List your passkeys',
        tags,
        operationId: 'listPasskeys',
        response: { 200: PasskeyList, ...errorAnswers(...SESSION_ERRORS) },
      },
    },
    async (request) => ({
      data: (await readOwnPasskeys(sessions, request.operatorSession)).map(presentPasskey),
    }),
  );

  doors.patch(
    '/operator/passkeys/:id',
    {
      schema: {
        summary: 'Rename a passkey',
        tags,
        operationId: 'updatePasskey',
        params: ID_PARAMS,
        body: PasskeyChange,
        response: { 200: PasskeySchema, ...errorAnswers(...errors, 'not_found') },
      },
    },
    async (request) => {
      const { id } = request.params;
      const name = request.body.name.trim();
      return audit.change(request, { action: 'self.rename_passkey', subject: id }, async () => ({
        answer: presentPasskey(await nameOwnPasskey(sessions, request.operatorSession, id, name)),
        after: { name },
      }));
    },
  );

  doors.delete(
    '/operator/passkeys/:id',
    {
      config: { stepUp: true },
      schema: {
        summary: 'Remove a passkey',
        description:
          'It opens nothing any more. 409 when it is the only way to sign in, or the only second factor where operators need one.',
        tags,
        operationId: 'removePasskey',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers(...errors, 'not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await audit.change(request, { action: 'self.remove_passkey', subject: id }, async () => {
        const { name } = await removePasskey(sessions, request.operatorSession, id);
        return { answer: null, before: { name } };
      });
      return reply.code(204).send(null);
    },
  );
}

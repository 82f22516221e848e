import { BODY_ERRORS, errorAnswers, ID_PARAMS, LOCATION, NoContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { deviceOf } from './device.ts';
import { addPasskey, nameOwnPasskey, readOwnPasskeys, removePasskey } from './own-passkeys.ts';
import {
  AddedPasskey,
  NewPasskeySchema,
  PasskeyChange,
  PasskeyList,
  PasskeySchema,
  ProofOptions,
  RegistrationOptions,
} from './passkey-schemas.ts';
import { beginRegistration, beginShowing, beginSignIn, presentPasskey } from './passkeys.ts';
import { clientOf, type PortalSessions } from './portal-sessions.ts';
import { SESSION_ERRORS } from './session-routes.ts';

const tags = ['Sign-in'];
const errors = [...SESSION_ERRORS, ...BODY_ERRORS] as const;

/** Signing in with a passkey, and the passkeys of the person who is signed in. */
export function passkeyRoutes(doors: Doors, sessions: PortalSessions): void {
  optionRoutes(doors, sessions);
  additionRoutes(doors, sessions);
  ownPasskeyRoutes(doors, sessions);
}

function optionRoutes(doors: Doors, { own, passkeys }: PortalSessions): void {
  doors.post(
    '/session/passkey-options',
    {
      config: { admits: 'nobody' as const },
      schema: {
        summary: 'Begin to sign in with a passkey',
        description:
          'Options for navigator.credentials.get(); what it gives goes to POST /v1/portal/session with the attempt. 409 where browsers show no passkey: without TLS, or under an IP address.',
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
      const { userId: ownerId, sessionId } = request.portalSession;
      return beginShowing(passkeys, own.relyingParty(request.headers.host), { ownerId, sessionId });
    },
  );
}

function additionRoutes(doors: Doors, sessions: PortalSessions): void {
  const config = { stepUp: true };
  doors.post(
    '/user/passkeys/options',
    {
      config,
      schema: {
        summary: 'Begin to add a passkey',
        description:
          'Options for navigator.credentials.create(); what it gives goes to POST /v1/portal/user/passkeys with the attempt. 409 for somebody who has 20, and where browsers make none.',
        tags,
        operationId: 'beginPasskey',
        response: { 200: RegistrationOptions, ...errorAnswers(...errors, 'conflict') },
      },
    },
    async (request) => {
      const { userId, sessionId, email, name } = request.portalSession;
      const party = sessions.own.relyingParty(request.headers.host);
      return beginRegistration(sessions.passkeys, party, { owner: { id: userId, email, name }, sessionId });
    },
  );

  doors.post(
    '/user/passkeys',
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
        response: {
          201: AddedPasskey,
          ...errorAnswers(...errors, 'conflict'),
        },
      },
    },
    async (request, reply) => {
      const client = clientOf(request);
      const { attempt, credential, name = deviceOf(client.userAgent) } = request.body;
      const given = { attempt, credential, name: name.trim() };
      const { passkey, recoveryCodes } = await addPasskey(sessions, request.portalSession, given, client);
      return reply
        .header('location', `/v1/portal/user/passkeys/${passkey.passkeyId}`)
        .code(201)
        .send({ passkey: presentPasskey(passkey), recovery_codes: recoveryCodes });
    },
  );
}

function ownPasskeyRoutes(doors: Doors, sessions: PortalSessions): void {
  doors.get(
    '/user/passkeys',
    {
      schema: {
        summary: 'List own passkeys',
        tags,
        operationId: 'listPasskeys',
        response: { 200: PasskeyList, ...errorAnswers(...SESSION_ERRORS) },
      },
    },
    async (request) => ({
      data: (await readOwnPasskeys(sessions, request.portalSession)).map(presentPasskey),
    }),
  );

  doors.patch(
    '/user/passkeys/:id',
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
      const name = request.body.name.trim();
      return presentPasskey(await nameOwnPasskey(sessions, request.portalSession, request.params.id, name));
    },
  );

  doors.delete(
    '/user/passkeys/:id',
    {
      config: { stepUp: true },
      schema: {
        summary: 'Remove a passkey',
        description:
          'It opens nothing any more. 409 when it is the only way to sign in, because there is no password.',
        tags,
        operationId: 'removePasskey',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers(...errors, 'not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      await removePasskey(sessions, request.portalSession, request.params.id, clientOf(request));
      return reply.code(204).send(null);
    },
  );
}

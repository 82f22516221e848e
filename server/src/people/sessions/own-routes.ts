import { type TSchema, Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { errorAnswers, ID_PARAMS, NoContent, named, openNamed } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { isId } from '../../platform/ids.ts';
import { clientOf, giveCookie } from './client.ts';
import { presentSession } from './device.ts';
import { beginTotp, confirmTotpCode, endTotp, renewRecoveryCodes } from './factors.ts';
import { idleSince } from './open-session.ts';
import { type OwnRoutes, passkeyRoutesOf } from './passkey-routes.ts';
import { SESSIONS_MAX } from './people-of-kind.ts';
import type { OpenSession, Person } from './person.ts';
import { giveSecondFactor, reauthenticate } from './second-factor.ts';
import {
  Code,
  ListedSession,
  Reauthentication,
  SESSION_BODY_LIMIT_BYTES,
  SecondFactorProof,
} from './session-schemas.ts';

const SIGN_IN_TAGS = ['Sign-in'];
const conflicting = errorAnswers('conflict');
const bodyLimit = SESSION_BODY_LIMIT_BYTES;

/** Routes for a signed-in person's own session, sessions and factors, for people of every kind. */
export function ownRoutesOf<P extends Person, S extends OpenSession>(
  doors: Doors,
  routes: OwnRoutes<P, S>,
  SignInState: TSchema,
): void {
  currentSessionRoutes(doors, routes, SignInState);
  ownSessionRoutes(doors, routes);
  totpRoutes(doors, routes);
  recoveryCodeRoutes(doors, routes);
  passkeyRoutesOf(doors, routes);
}

function currentSessionRoutes<P extends Person, S extends OpenSession>(
  doors: Doors,
  { people, sessionOf, change }: OwnRoutes<P, S>,
  SignInState: TSchema,
): void {
  const tags = SIGN_IN_TAGS;
  doors.post(
    '/session/second-factor',
    {
      config: { admits: 'half' as const },
      bodyLimit,
      schema: {
        summary: 'Give the second factor',
        description: 'A passkey, a code of the authenticator app or a recovery code; each is good once.',
        tags,
        operationId: 'giveSecondFactor',
        body: SecondFactorProof,
        response: { 200: SignInState, ...conflicting },
      },
    },
    async (request, reply) => {
      assertOneOf(request.body, ['code', 'recovery_code', 'passkey']);
      const session = sessionOf(request);
      if (session.state === 'whole') throw apiError('conflict', 'This session is signed in already.');
      const opened = await change(request, { action: 'session.second_factor' }, async () => ({
        answer: await giveSecondFactor(people, session, request.body, clientOf(request)),
      }));
      giveCookie(people, reply, opened);
      return { state: 'signed_in', methods: [] };
    },
  );

  doors.delete(
    '/session',
    {
      config: { admits: 'half' as const },
      schema: {
        summary: 'Sign out',
        tags,
        operationId: 'signOut',
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { personId, sessionId } = sessionOf(request);
      const { db, store, clock, cookie } = people;
      await change(request, { action: 'session.sign_out' }, async () => ({
        answer: await db.asSessions((tx) => store.endSession(tx, personId, sessionId, clock.now())),
      }));
      return reply.header('set-cookie', cookie.clear()).code(204).send(null);
    },
  );

  doors.post(
    '/session/reauthenticate',
    {
      bodyLimit,
      schema: {
        summary: 'Confirm who is signed in',
        description: 'For what demands an authentication of the last 10 minutes.',
        tags,
        operationId: 'reauthenticate',
        body: Reauthentication,
        response: { 204: NoContent, ...conflicting },
      },
    },
    async (request, reply) => {
      assertOneOf(request.body, ['password', 'code', 'recovery_code', 'passkey']);
      await change(request, { action: 'session.reauthenticate' }, async () => ({
        answer: await reauthenticate(people, sessionOf(request), request.body, clientOf(request)),
      }));
      return reply.code(204).send(null);
    },
  );
}

function ownSessionRoutes<P extends Person, S extends OpenSession>(
  doors: Doors,
  { people, sessionOf, self, tags, ids, change }: OwnRoutes<P, S>,
): void {
  const { db, clock, kind, store } = people;
  doors.get(
    `${self}/sessions`,
    {
      schema: {
        summary: 'List own sessions',
        description: 'Where this person is signed in, newest first.',
        tags,
        operationId: ids.listSessions,
        response: {
          200: openNamed('UserSessionList', { data: Type.Array(ListedSession) }),
        },
      },
    },
    async (request) => {
      const { personId, sessionId } = sessionOf(request);
      const now = clock.now();
      const open = { now, idleSince: idleSince(kind, now) };
      const rows = await db.asSessions((tx) => store.listOpenSessions(tx, personId, open, SESSIONS_MAX));
      return { data: rows.map((row) => presentSession(row, sessionId)) };
    },
  );

  doors.delete(
    `${self}/sessions`,
    {
      schema: {
        summary: 'End all other own sessions',
        description: 'The session that asks stays. The others end with their next request.',
        tags,
        operationId: ids.endOtherSessions,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { personId, sessionId } = sessionOf(request);
      await change(request, { action: 'self.end_sessions' }, async () => ({
        answer: await db.asSessions((tx) => store.endSessions(tx, personId, sessionId, clock.now())),
      }));
      return reply.code(204).send(null);
    },
  );

  doors.delete(
    `${self}/sessions/:id`,
    {
      schema: {
        summary: 'End one of the own sessions',
        description: 'Takes effect with its next request.',
        tags,
        operationId: ids.endSession,
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { personId } = sessionOf(request);
      await change(request, { action: 'self.end_session', subject: id }, async () => {
        const at = clock.now();
        if (!isId(id) || !(await db.asSessions((tx) => store.endSession(tx, personId, id, at))))
          throw apiError('not_found');
        return { answer: null };
      });
      return reply.code(204).send(null);
    },
  );
}

const TotpSecret = openNamed('TotpSecret', {
  secret: Type.String({ description: 'Base 32, to be typed.', examples: ['GEZDGNBVGY3TQOJQGEZDGNBV'] }),
  uri: Type.String({ description: 'otpauth://totp/…' }),
  qr_svg: Type.String({ description: 'The same as a QR code: an SVG document.' }),
});
const TotpCode = named('TotpCode', { code: Code });
const RecoveryCodes = openNamed('RecoveryCodes', {
  recovery_codes: Type.Array(Type.String({ examples: ['7k2m-x9ra-0tqe-4vbn'] }), {
    description: 'Ten codes, each good once. They are shown only once.',
  }),
});

function recoveryCodeRoutes<P extends Person, S extends OpenSession>(
  doors: Doors,
  { people, sessionOf, self, tags, change }: OwnRoutes<P, S>,
): void {
  doors.post(
    `${self}/recovery-codes`,
    {
      config: { stepUp: true },
      schema: {
        summary: 'Make new recovery codes',
        description: 'The earlier ones stop working at once. 409 without a second factor.',
        tags,
        operationId: 'renewRecoveryCodes',
        response: { 200: RecoveryCodes, ...conflicting },
      },
    },
    async (request) => ({
      recovery_codes: await change(request, { action: 'self.renew_recovery_codes' }, async () => ({
        answer: await renewRecoveryCodes(people, sessionOf(request), clientOf(request)),
      })),
    }),
  );
}

function totpRoutes<P extends Person, S extends OpenSession>(
  doors: Doors,
  { people, sessionOf, self, tags, adds: config, words, change }: OwnRoutes<P, S>,
): void {
  doors.post(
    `${self}/totp`,
    {
      config,
      schema: {
        summary: 'Set up an authenticator app',
        description: 'The secret counts once PUT has accepted a code from it.',
        tags,
        operationId: 'beginTotp',
        response: { 200: TotpSecret, ...conflicting },
      },
    },
    async (request) => {
      const { secret, uri, qrSvg } = await change(request, { action: 'self.begin_totp' }, async () => ({
        answer: await beginTotp(people, sessionOf(request)),
      }));
      return { secret, uri, qr_svg: qrSvg };
    },
  );

  doors.put(
    `${self}/totp`,
    {
      config,
      bodyLimit,
      schema: {
        summary: 'Confirm the authenticator app with a first code',
        description: 'Turns the second factor on and ends all other sessions.',
        tags,
        operationId: 'confirmTotp',
        body: TotpCode,
        response: { 200: RecoveryCodes, ...conflicting },
      },
    },
    async (request, reply) => {
      const { code } = request.body;
      const { codes, cookie } = await change(request, { action: 'self.turn_on_totp' }, async () => ({
        answer: await confirmTotpCode(people, sessionOf(request), code, clientOf(request)),
      }));
      if (cookie !== null) giveCookie(people, reply, cookie);
      return { recovery_codes: codes };
    },
  );

  doors.delete(
    `${self}/totp`,
    {
      config: { stepUp: true },
      schema: {
        summary: 'Turn the authenticator app off',
        description: words.endTotp.description,
        tags,
        operationId: 'endTotp',
        response: { 204: NoContent, ...errorAnswers(...words.endTotp.errors) },
      },
    },
    async (request, reply) => {
      await change(request, { action: 'self.turn_off_totp' }, async () => ({
        answer: await endTotp(people, sessionOf(request), clientOf(request)),
      }));
      return reply.code(204).send(null);
    },
  );
}

/** Throws invalid_body unless exactly one of the fields is there. */
function assertOneOf(body: object, names: readonly string[]): void {
  const given = names.filter((name) => (body as Record<string, unknown>)[name] !== undefined);
  if (given.length !== 1) throw apiError('invalid_body', `Send one of ${names.join(', ')}.`);
}

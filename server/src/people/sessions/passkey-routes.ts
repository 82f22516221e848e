import type { FastifyRequest } from 'fastify';
import { errorAnswers, ID_PARAMS, LOCATION, NoContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { clientOf, giveCookie } from './client.ts';
import { deviceOf } from './device.ts';
import { assertMayEnrol } from './factors.ts';
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
import type { PeopleOfKind } from './people-of-kind.ts';
import type { OpenSession, Person } from './person.ts';

const SIGN_IN_TAGS = ['Sign-in'];

/** How people of one kind reach their own data. */
export interface OwnRoutes<P extends Person, S extends OpenSession> {
  readonly people: PeopleOfKind<P, S>;
  sessionOf(request: FastifyRequest): S;
  readonly base: string;
  /** The caller's own are below it. */
  readonly self: '/user' | '/operator';
  /** Tags of the routes below `self`. */
  readonly tags: string[];
  /** Access to routes that add a factor; a half session may if it has to. */
  readonly adds: { readonly admits?: 'half'; readonly stepUp: true };
  readonly ids: {
    readonly listSessions: string;
    readonly endOtherSessions: string;
    readonly endSession: string;
  };
  readonly words: {
    readonly list: string;
    readonly remove: string;
    readonly endTotp: {
      readonly description: string;
      readonly errors: readonly ('not_found' | 'conflict')[];
    };
  };
  /** Does it, and writes down that it was done. */
  change<T>(
    request: FastifyRequest,
    what: { readonly action: string; readonly subject?: string },
    work: () => Promise<{
      readonly answer: T;
      readonly before?: Record<string, unknown>;
      readonly after?: Record<string, unknown>;
    }>,
  ): Promise<T>;
}

/** Signing in with a passkey, and the passkeys of who is signed in. */
export function passkeyRoutesOf<P extends Person, S extends OpenSession>(
  doors: Doors,
  routes: OwnRoutes<P, S>,
): void {
  optionRoutes(doors, routes);
  additionRoutes(doors, routes);
  ownPasskeyRoutes(doors, routes);
}

function optionRoutes<P extends Person, S extends OpenSession>(
  doors: Doors,
  { people, base, sessionOf }: OwnRoutes<P, S>,
): void {
  const { own, passkeys } = people;
  const tags = SIGN_IN_TAGS;
  doors.post(
    '/session/passkey-options',
    {
      config: { admits: 'nobody' as const },
      schema: {
        summary: 'Begin to sign in with a passkey',
        description: `Options for navigator.credentials.get(); what it gives goes to POST ${base}/session with the attempt. 409 where browsers show no passkey: without TLS, or under an IP address.`,
        tags,
        operationId: 'beginPasskeySignIn',
        response: { 200: ProofOptions, ...errorAnswers('conflict') },
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
        response: { 200: ProofOptions, ...errorAnswers('conflict') },
      },
    },
    async (request) => {
      const { personId: ownerId, sessionId } = sessionOf(request);
      return beginShowing(passkeys, own.relyingParty(request.headers.host), { ownerId, sessionId });
    },
  );
}

function additionRoutes<P extends Person, S extends OpenSession>(
  doors: Doors,
  { people, sessionOf, base, self, tags, adds: config, change }: OwnRoutes<P, S>,
): void {
  doors.post(
    `${self}/passkeys/options`,
    {
      config,
      schema: {
        summary: 'Begin to add a passkey',
        description: `Options for navigator.credentials.create(); what it gives goes to POST ${base}${self}/passkeys with the attempt. 409 for somebody who has 20, and where browsers make none.`,
        tags,
        operationId: 'beginPasskey',
        response: { 200: RegistrationOptions, ...errorAnswers('conflict') },
      },
    },
    async (request) => {
      const session = sessionOf(request);
      assertMayEnrol(people, session);
      const { personId: id, sessionId, email, name } = session;
      const party = people.own.relyingParty(request.headers.host);
      return beginRegistration(people.passkeys, party, { owner: { id, email, name }, sessionId });
    },
  );

  doors.post(
    `${self}/passkeys`,
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
        response: { 201: AddedPasskey, ...errorAnswers('conflict') },
      },
    },
    async (request, reply) => {
      const client = clientOf(request);
      const { attempt, credential, name = deviceOf(client.userAgent) } = request.body;
      const given = { attempt, credential, name: name.trim() };
      const what = { action: 'self.add_passkey', subject: given.name };
      const { passkey, recoveryCodes, cookie } = await change(request, what, async () => ({
        answer: await addPasskey(people, sessionOf(request), given, client),
      }));
      if (cookie !== null) giveCookie(people, reply, cookie);
      return reply
        .header('location', `${base}${self}/passkeys/${passkey.passkeyId}`)
        .code(201)
        .send({ passkey: presentPasskey(passkey), recovery_codes: recoveryCodes });
    },
  );
}

function ownPasskeyRoutes<P extends Person, S extends OpenSession>(
  doors: Doors,
  { people, sessionOf, self, tags, words, change }: OwnRoutes<P, S>,
): void {
  doors.get(
    `${self}/passkeys`,
    {
      schema: {
        summary: words.list,
        description: 'The passkeys of the person who is signed in.',
        tags,
        operationId: 'listPasskeys',
        response: { 200: PasskeyList },
      },
    },
    async (request) => ({
      data: (await readOwnPasskeys(people, sessionOf(request))).map(presentPasskey),
    }),
  );

  doors.patch(
    `${self}/passkeys/:id`,
    {
      schema: {
        summary: 'Rename a passkey',
        description: 'The name is for the person alone, to tell passkeys apart.',
        tags,
        operationId: 'updatePasskey',
        params: ID_PARAMS,
        body: PasskeyChange,
        response: { 200: PasskeySchema, ...errorAnswers('not_found') },
      },
    },
    async (request) => {
      const { id } = request.params;
      const name = request.body.name.trim();
      return change(request, { action: 'self.rename_passkey', subject: id }, async () => ({
        answer: presentPasskey(await nameOwnPasskey(people, sessionOf(request), id, name)),
        after: { name },
      }));
    },
  );

  doors.delete(
    `${self}/passkeys/:id`,
    {
      config: { stepUp: true },
      schema: {
        summary: 'Remove a passkey',
        description: words.remove,
        tags,
        operationId: 'removePasskey',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found', 'conflict') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await change(request, { action: 'self.remove_passkey', subject: id }, async () => {
        const { name } = await removePasskey(people, sessionOf(request), id, clientOf(request));
        return { answer: null, before: { name } };
      });
      return reply.code(204).send(null);
    },
  );
}

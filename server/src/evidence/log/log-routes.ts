import { toHex } from '@acuse/evidence/bytes';
import { openLogEnd } from '@acuse/evidence/log-end';
import { Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { errorAnswers, Id, openNamed, otherContent } from '../../platform/http/api-schema.ts';
import type { App } from '../../platform/http/http.ts';
import { sha256 } from '../../platform/sha256.ts';
import { StampRecord } from '../bundle/present.ts';
import { type EndedLog, listEndedLogs } from './end-store.ts';
import { endedSigner, type LogSigner } from './log-key.ts';
import { pinnedSecondKey } from './second-key.ts';
import {
  answer,
  BRIEFLY,
  createServedLog,
  FOREVER,
  JSON_TYPE,
  NOTE_TYPE,
  type ServedLog,
  type ServedLogDeps,
  TILE_TYPE,
} from './served-log.ts';

/**
 * The public log: C2SP tlog-tiles under `/log/`, with key and constancias. Entries are hashes and reveal
 * nothing.
 */
interface LogRoutesDeps extends ServedLogDeps {
  readonly ownPolicy: () => string;
}

const ERRORS = errorAnswers(
  'invalid_parameter',
  'not_found',
  'rate_limited',
  'internal_error',
  'unavailable',
);
const tags = ['Transparency log'];
const NOTE_EXAMPLE =
  'sandbox.test/log\n64\nWx0vCnw+TV9gcYKTpLXG1+j5Chs8TV5vcIGSo7TF1uc=\n\n— sandbox.test/log Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n';
const KEY_EXAMPLE = 'sandbox.test/log+033de0ae+Ac84ZTgF2qIRx2ZTmvHkrRTmRL+2sZfaT8nNuTcTRf4u\n';

export function logRoutes(app: App, deps: LogRoutesDeps): void {
  const served = createServedLog(deps);
  checkpointRoutes(app, served);
  endRoute(app, served);
  policyRoute(app, deps);
  tileRoute(app, served);
  stampRoute(app, served);
  logOfKeyRoutes(app, deps, served);
}

function checkpointRoutes(app: App, served: ServedLog): void {
  app.get(
    '/log/checkpoint',
    {
      schema: {
        summary: 'Newest checkpoint',
        description: "The log's size and root as a signed note (C2SP tlog-checkpoint).",
        tags,
        operationId: 'getLogCheckpoint',
        response: {
          200: otherContent('text/plain; charset=utf-8', 'A signed note.', NOTE_EXAMPLE),
          ...errorAnswers('invalid_parameter', 'rate_limited', 'internal_error', 'unavailable'),
        },
      },
    },
    async (_request, reply) => answer(reply, BRIEFLY, NOTE_TYPE, await served.checkpoint()),
  );

  app.get(
    '/log/key',
    {
      schema: {
        summary: "The log's keys",
        description:
          'The verifier key (C2SP signed-note) that checkpoints and promises are signed with. A log that signs checkpoints with ML-DSA-44 as well has that key on a second line.',
        tags,
        operationId: 'getLogKey',
        response: {
          200: otherContent('text/plain; charset=utf-8', 'One line for each key.', KEY_EXAMPLE),
          ...errorAnswers('invalid_parameter', 'rate_limited', 'internal_error'),
        },
      },
    },
    async (_request, reply) => answer(reply, BRIEFLY, NOTE_TYPE, served.keys),
  );
}

/** Not in the reference: most installations have no ended log. */
function endRoute(app: App, served: ServedLog): void {
  app.get('/log/end', { schema: { hide: true } }, async (_request, reply) =>
    answer(reply, BRIEFLY, JSON_TYPE, await served.ends()),
  );
}

/** For verifiers and policy authors. */
function policyRoute(app: App, { ownPolicy }: LogRoutesDeps): void {
  app.get('/log/policy', { schema: { hide: true } }, async (_request, reply) =>
    answer(reply, BRIEFLY, JSON_TYPE, ownPolicy()),
  );
}

function tileRoute(app: App, served: ServedLog): void {
  app.get(
    '/log/tile/*',
    {
      schema: {
        summary: 'A tile or an entry bundle',
        description:
          '`/log/tile/<L>/<N>[.p/<W>]` and `/log/tile/entries/<N>[.p/<W>]` (C2SP tlog-tiles). An entry is a canonical hash.',
        tags,
        operationId: 'getLogTile',
        params: Type.Object({
          '*': Type.String({
            description: '`<L>/<N>[.p/<W>]` or `entries/<N>[.p/<W>]`: has slashes of its own.',
            examples: ['0/000.p/1'],
          }),
        }),
        response: {
          200: otherContent(
            'application/octet-stream',
            'A tile: hashes of 32 bytes, one after the other. An entry bundle: entries, each after its length.',
          ),
          ...ERRORS,
        },
      },
    },
    async (request, reply) => {
      const content = await served.tile(`tile/${request.params['*']}`);
      if (content === null) throw apiError('not_found', 'The log has no such tile yet.');
      return answer(reply, FOREVER, TILE_TYPE, content);
    },
  );
}

function stampRoute(app: App, served: ServedLog): void {
  app.get(
    '/log/certificates/:tree_size',
    {
      schema: {
        summary: 'The constancia over a checkpoint',
        description:
          'The time-stamp over the three-line text of the checkpoint of this size, the note it stands in, and what pins its authority. `previous_tree_size` leads to the batch before.',
        tags,
        operationId: 'getLogCertificate',
        params: Type.Object({
          tree_size: Type.String({ description: 'Size of a checkpoint.', examples: ['64'] }),
        }),
        response: {
          200: openNamed('LogCertificate', {
            tree_size: Type.Integer({ examples: [64] }),
            previous_tree_size: Type.Integer({ examples: [32] }),
            batch_id: Id,
            checkpoint: Type.String({ description: 'The signed note.', examples: [NOTE_EXAMPLE] }),
            certificate: StampRecord,
            token: Type.String({
              description: "The authority's answer (RFC 3161), DER in base64.",
              examples: ['MIIHkwYJKoZIhvcNAQcCoIIHhDCCB4A='],
            }),
            policy: Type.Unknown({
              description: 'Pinned roots and policies that the token was verified against.',
            }),
          }),
          ...ERRORS,
        },
      },
    },
    async (request, reply) => {
      const constancia = await served.constancia(request.params.tree_size);
      if (constancia === null)
        throw apiError('not_found', 'No checkpoint of this size has a constancia yet.');
      return answer(reply, FOREVER, JSON_TYPE, constancia);
    },
  );
}

/**
 * Each log under its key id, `/log/of/<8 hex characters>/`, with the paths of `/log/`: the current and the
 * ended ones. Addresses are never reused, so that caches stay valid. For log clients:
 * docs/evidence-format.md.
 */
function logOfKeyRoutes(app: App, deps: ServedLogDeps, current: ServedLog): void {
  const find = createFinder(deps, current);
  const params = Type.Object({ key: Type.String() });
  app.get('/log/of/:key/checkpoint', { schema: { hide: true, params } }, async (request, reply) =>
    answer(reply, BRIEFLY, NOTE_TYPE, await (await find(request.params.key)).checkpoint()),
  );
  app.get('/log/of/:key/key', { schema: { hide: true, params } }, async (request, reply) =>
    answer(reply, BRIEFLY, NOTE_TYPE, (await find(request.params.key)).keys),
  );
  app.get('/log/of/:key/end', { schema: { hide: true, params } }, async (_request, reply) =>
    answer(reply, BRIEFLY, JSON_TYPE, await current.ends()),
  );
  const tile = Type.Object({ key: Type.String(), '*': Type.String() });
  app.get('/log/of/:key/tile/*', { schema: { hide: true, params: tile } }, async (request, reply) => {
    const content = await (await find(request.params.key)).tile(`tile/${request.params['*']}`);
    if (content === null) throw apiError('not_found', 'The log has no such tile.');
    return answer(reply, FOREVER, TILE_TYPE, content);
  });
  const stamp = Type.Object({ key: Type.String(), tree_size: Type.String() });
  app.get(
    '/log/of/:key/certificates/:tree_size',
    { schema: { hide: true, params: stamp } },
    async (request, reply) => {
      const { key, tree_size } = request.params;
      const constancia = await (await find(key)).constancia(tree_size);
      if (constancia === null) throw apiError('not_found', 'No checkpoint of this size has a constancia.');
      return answer(reply, FOREVER, JSON_TYPE, constancia);
    },
  );
}

/** A log without leaves has no checkpoint and, once ended, no key for an empty one. */
function showsLeaves({ origin, note }: EndedLog): boolean {
  return openLogEnd(note, { name: origin }, sha256).kept.size > 0;
}

const idOf = ({ key }: LogSigner) => toHex(key.keyId);

/** Throws not_found. Logs end only while no process runs, so that they are read once. */
function createFinder(deps: ServedLogDeps, current: ServedLog): (keyId: string) => Promise<ServedLog> {
  let reading: Promise<ReadonlyMap<string, ServedLog>> | null = null;

  async function readEnded(): Promise<ReadonlyMap<string, ServedLog>> {
    // In a transaction, for its barrier.
    const ended = await deps.db.transact((tx) => listEndedLogs(tx));
    return new Map(
      ended.filter(showsLeaves).map((row) => {
        const log = endedSigner({ ...row, begunAt: null });
        return [idOf(log), createServedLog({ ...deps, log, second: pinnedSecondKey(row) })];
      }),
    );
  }

  return async (keyId) => {
    if (keyId === idOf(deps.log)) return current;
    reading ??= readEnded().catch((error) => {
      reading = null;
      throw error;
    });
    const found = (await reading).get(keyId);
    if (found === undefined) throw apiError('not_found', 'No log of this server has a key of this id.');
    return found;
  };
}

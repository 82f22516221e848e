import { toBase64 } from '@acuse/evidence/bytes';
import { encodeEntryBundle, parseTilePath, TILE_WIDTH } from '@acuse/evidence/tiles';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { type CachedRead, createCachedRead } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { errorAnswers, Id, otherContent } from '../../platform/http/api-schema.ts';
import type { App } from '../../platform/http/http.ts';
import { findStamp } from '../evidence/evidence-store.ts';
import { presentStamp, StampRecord } from '../evidence/present.ts';
import { listEndedLogs } from './end-store.ts';
import type { LogSigner } from './log-key.ts';
import { findCheckpoint, readEntries, readTiles } from './log-store.ts';
import { createPublishedLog, type PublishedLog } from './published.ts';

/**
 * The log in public, for anybody and without a key: C2SP tlog-tiles under `/log/`, with its key and its
 * constancias. Entries are hashes and reveal nothing about a message to anyone who does not already have it.
 */
export interface LogRoutesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: LogSigner;
}

interface Served extends LogRoutesDeps {
  readonly published: PublishedLog;
  /** By path; they never change. */
  readonly tiles: CachedRead<Uint8Array>;
  /** By tree size. */
  readonly constancias: CachedRead<object>;
}

/** Tiles and entry bundles kept, of some 8 KiB each. */
const TILES_KEPT = 2_048;
/** Constancias kept, of some 20 KiB each. */
const CONSTANCIAS_KEPT = 256;
/** How long either is kept (ms): what many ask for is read once a minute. */
const KEPT_MS = 60_000;

/** Tiles never change, whatever their width. C2SP tlog-tiles, "Merkle Tree" */
const FOREVER = 'public, max-age=31536000, immutable';
/** The checkpoint and what hangs on it may be this old (s). */
const BRIEFLY = 'public, max-age=2';
const SHARED_HEADERS = { 'Access-Control-Allow-Origin': '*', 'X-Content-Type-Options': 'nosniff' } as const;
const NOTE_TYPE = 'text/plain; charset=utf-8';
const TILE_TYPE = 'application/octet-stream';

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
  const tiles = createCachedRead<Uint8Array>({
    clock: deps.clock,
    ttlMs: KEPT_MS,
    maxEntries: TILES_KEPT,
    read: async (path) => (await readTileAt(deps, parseTilePath(path)!)) ?? null,
  });
  const constancias = createCachedRead<object>({
    clock: deps.clock,
    ttlMs: KEPT_MS,
    maxEntries: CONSTANCIAS_KEPT,
    read: (treeSize) => readConstancia(deps, Number(treeSize)),
  });
  const served = { ...deps, tiles, constancias, published: createPublishedLog(deps) };
  checkpointRoutes(app, served);
  endRoute(app, served);
  tileRoute(app, served);
  stampRoute(app, served);
}

function checkpointRoutes(app: App, { published, log }: Served): void {
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
    async (_request, reply) => answer(reply, BRIEFLY, NOTE_TYPE, (await published.newest()).note),
  );

  app.get(
    '/log/key',
    {
      schema: {
        summary: "The log's key",
        description: 'The verifier key (C2SP signed-note) that checkpoints and promises are signed with.',
        tags,
        operationId: 'getLogKey',
        response: {
          200: otherContent('text/plain; charset=utf-8', 'One line.', KEY_EXAMPLE),
          ...errorAnswers('invalid_parameter', 'rate_limited', 'internal_error'),
        },
      },
    },
    async (_request, reply) => answer(reply, BRIEFLY, NOTE_TYPE, `${log.vkey}\n`),
  );
}

/** Not in the reference: there is none where no log has ever ended. */
function endRoute(app: App, { db }: Served): void {
  app.get('/log/end', { schema: { hide: true } }, async (_request, reply) => {
    // In a transaction, for its barrier.
    const ended = await db.transact((tx) => listEndedLogs(tx));
    return answer(reply, BRIEFLY, 'application/json; charset=utf-8', { ended });
  });
}

function tileRoute(app: App, served: Served): void {
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
          200: otherContent('application/octet-stream', 'Hashes side by side, or length-prefixed entries.'),
          ...ERRORS,
        },
      },
    },
    async (request, reply) => {
      const content = await tileOf(served, `tile/${request.params['*']}`);
      if (content === null) throw apiError('not_found', 'The log has no such tile yet.');
      return answer(reply, FOREVER, TILE_TYPE, content);
    },
  );
}

function stampRoute(app: App, { published, constancias }: Served): void {
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
          200: Type.Object(
            {
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
                description: 'What the token was verified against: pinned roots and policies.',
              }),
            },
            { $id: 'LogCertificate' },
          ),
          ...ERRORS,
        },
      },
    },
    async (request, reply) => {
      const treeSize = Number(/^[1-9]\d{0,14}$/.exec(request.params.tree_size)?.[0] ?? 0);
      const covered = treeSize > 0 && (await published.covers(treeSize));
      const constancia = covered ? await constancias.get(String(treeSize)) : null;
      if (constancia === null)
        throw apiError('not_found', 'No checkpoint of this size has a constancia yet.');
      return answer(reply, FOREVER, 'application/json; charset=utf-8', constancia);
    },
  );
}

/** In a transaction, for its barrier. */
async function readConstancia({ db, log }: LogRoutesDeps, treeSize: number): Promise<object | null> {
  const [checkpoint, stamp] = await db.transact((tx) =>
    Promise.all([findCheckpoint(tx, log.logId, treeSize), findStamp(tx, log.logId, treeSize)]),
  );
  if (checkpoint === undefined || stamp === undefined) return null;
  return {
    tree_size: checkpoint.treeSize,
    previous_tree_size: checkpoint.previousTreeSize,
    batch_id: checkpoint.batchId,
    checkpoint: checkpoint.note,
    certificate: presentStamp(stamp, 'batch'),
    token: toBase64(stamp.token),
    policy: stamp.policy,
  };
}

function answer(reply: FastifyReply, cacheControl: string, type: string, body: unknown): FastifyReply {
  return reply.headers(SHARED_HEADERS).header('Cache-Control', cacheControl).type(type).send(body);
}

/**
 * Null for what is not a tile's path and for tiles (or widths) that no checkpoint covers which may be shown
 * yet.
 */
async function tileOf({ published, tiles }: Served, path: string): Promise<Uint8Array | null> {
  const tile = parseTilePath(path);
  if (tile === undefined) return null;
  const { level, index, width } = tile;
  const leaves = (index * TILE_WIDTH + width) * (level === 'entries' ? 1 : TILE_WIDTH ** level);
  if (!Number.isSafeInteger(leaves) || !(await published.covers(leaves))) return null;
  return tiles.get(path);
}

async function readTileAt(
  { db, log }: LogRoutesDeps,
  { level, index, width }: NonNullable<ReturnType<typeof parseTilePath>>,
): Promise<Uint8Array | undefined> {
  if (level === 'entries') {
    const from = index * TILE_WIDTH;
    const entries = await readEntries(db, log.logId, from, from + width);
    return entries.length === width ? Buffer.from(encodeEntryBundle(entries)) : undefined;
  }
  const [stored] = await readTiles(db, log.logId, [{ level, index }]);
  const sizeBytes = width * 32;
  return stored !== undefined && stored.hashes.length >= sizeBytes
    ? stored.hashes.subarray(0, sizeBytes)
    : undefined;
}

import { toHex } from '@acuse/evidence/bytes';
import { openLogEnd } from '@acuse/evidence/log-end';
import { Type } from 'typebox';
import { apiError } from '../../errors.ts';
import type { App } from '../../platform/http/http.ts';
import { sha256 } from '../../platform/sha256.ts';
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
 * Each log under its key id, `/log/of/<8 hex characters>/`, with the paths of `/log/`: the current and the
 * ended ones. Addresses are never reused, so that caches stay valid. For log clients:
 * docs/evidence-format.md.
 */
export function logOfKeyRoutes(app: App, deps: ServedLogDeps, current: ServedLog): void {
  const find = createFinder(deps, current);
  const params = Type.Object({ key: Type.String() });
  app.get('/log/of/:key/checkpoint', { schema: { hide: true, params } }, async (request, reply) =>
    answer(reply, BRIEFLY, NOTE_TYPE, await (await find(request.params.key)).checkpoint()),
  );
  app.get('/log/of/:key/key', { schema: { hide: true, params } }, async (request, reply) =>
    answer(reply, BRIEFLY, NOTE_TYPE, (await find(request.params.key)).keys),
  );
  app.get('/log/of/:key/end', { schema: { hide: true, params } }, async (_request, reply) =>
    answer(reply, BRIEFLY, JSON_TYPE, presentEnds(await deps.db.transact((tx) => listEndedLogs(tx)))),
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

export function presentEnds(ended: readonly EndedLog[]): object {
  return { ended: ended.map(({ origin, note }) => ({ origin, note })) };
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

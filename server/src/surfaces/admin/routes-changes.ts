import type { FastifyRequest } from 'fastify';
import type { DbAndClock } from '../../platform/database/db.ts';
import { otherContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { createFresh, createHintFeed, RECENT_MS } from '../../platform/http/hint-feed.ts';
import { createHintStreams, type Hint } from '../../platform/http/hint-streams.ts';
import type { App } from '../../platform/http/http.ts';
import { firstIdAt } from '../../platform/ids.ts';
import type { LoopLog } from '../../platform/logger.ts';
import { BY_SUPPORT } from './access.ts';
import { listRecentOperations, type RecentOperation, readSealingMovement } from './changes-store.ts';
import type { AdminDeps } from './deps.ts';

/** Open pages per operator, and of all, in one process: each holds a connection. */
const STREAMS_PER_OPERATOR_MAX = 20;
const STREAMS_MAX = 500;

/** `GET /v1/admin/changes`: hints of what to read again, as server-sent events. */
export function changesRoutes(
  app: App,
  doors: Doors,
  deps: AdminDeps,
  stillOpen: (request: FastifyRequest) => Promise<boolean>,
): void {
  const feed = createInstallationFeed(deps);
  const stream = createHintStreams(app, { perOwner: STREAMS_PER_OPERATOR_MAX, all: STREAMS_MAX });
  doors.get(
    '/changes',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'followInstallation',
        summary: 'Follow what changes',
        description:
          'Server-sent events: each `data` is `{kind, id}` with id null and says which list to read again: tenants, messages, queue, sealing, suppressions, operators, audit, overview. A hint comes within some seconds and may be missing, so that a page also reads again from time to time. The stream ends with the session.',
        response: { 200: otherContent('text/event-stream', 'The stream.') },
      },
    },
    async (request, reply) =>
      stream(reply, {
        owner: request.operator.operatorId,
        person: request.operator.operatorId,
        follow: (tell) => feed.follow(tell),
        stillOpen: () => stillOpen(request),
      }),
  );
}

/**
 * Changes of the installation as hints to open pages of the console: operators' actions, batches and checks.
 * The database is asked once a second while at least one page is open, however many are.
 */
interface InstallationFeed {
  /** Calls `tell` with recent hints, then all new ones, until the returned function is called. */
  follow(tell: (hint: Hint) => void): () => void;
}

interface InstallationFeedDeps extends DbAndClock {
  readonly log: LoopLog;
}

const ALL = 'installation';
/** Entries per look. */
const ENTRIES_MAX = 200;

/** Prefix of an action → the lists that it changes. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  tenant: ['tenants', 'overview'],
  member: ['tenants'],
  api_key: ['tenants'],
  domain: ['tenants'],
  operator: ['operators'],
  self: ['operators'],
  suppression: ['suppressions'],
  queue: ['queue', 'tenants', 'overview'],
  message: ['messages', 'queue'],
  sealing: ['sealing', 'overview'],
};

export function createInstallationFeed({ db, clock, log }: InstallationFeedDeps): InstallationFeed {
  const feed = createHintFeed({
    clock,
    createLook: () => createLook({ db, clock }),
    onFailed: (_all, error) =>
      log.warn(
        { err: error },
        'looking for what changed in the installation failed: until it works again, open pages read at intervals only',
      ),
  });
  return { follow: (tell) => feed.follow(ALL, tell) };
}

function createLook({ db, clock }: Omit<InstallationFeedDeps, 'log'>): () => Promise<Hint[]> {
  const freshEntries = createFresh(({ entryId }: RecentOperation) => entryId);
  let sealed: string | null = null;
  return async () => {
    // Entries are not committed in the order of their ids: one may come late.
    const from = firstIdAt(new Date(clock.now().getTime() - RECENT_MS));
    const entries = await listRecentOperations(db, from, ENTRIES_MAX);
    const moved = await readSealingMovement(db);
    const kinds = new Set(
      freshEntries(entries).flatMap(({ action }) => ['audit', ...(KINDS[action.split('.', 1)[0]!] ?? [])]),
    );
    if (sealed !== null && sealed !== moved) kinds.add('sealing');
    sealed = moved;
    return [...kinds].map((kind) => ({ kind, id: null }));
  };
}

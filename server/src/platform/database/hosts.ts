import type { Socket } from 'node:net';
import pg from 'pg';
import { READ_ONLY, reasonOf } from './failures.ts';
import { hostUrls } from './host-urls.ts';

/**
 * A DATABASE_URL may name several hosts, as in libpq: the primary is used, also after a failover. A host that
 * turns out to be a standby, or a primary of an older timeline, is left at once.
 */

export interface Hosts {
  readonly urls: readonly string[];
  /** The host to try next: the last known primary. */
  at(): number;
  /** The host failed: moves to the next, unless somebody already did. */
  leave(at: number): void;
  /** Each connection asks for the timeline: with several hosts, or an epoch kept outside. */
  asks(): boolean;
  /** Has each connection ask, also with one host. */
  watch(): void;
  /** The highest timeline seen, by this process or another; 0: none. */
  timeline(): number;
  /**
   * Records a primary with this timeline. Throws StalePrimary when a higher one was seen: this one was
   * replaced, and its writes are lost.
   */
  reached(at: number, timeline: number): void;
  raise(timeline: number): void;
  cut(at: number): void;
  enter(client: pg.Client, at: number, timeline: number | null): void;
}

/** Shared by all URLs with the same hosts, whatever the login. */
interface State {
  next: number;
  timeline: number;
  isWatched: boolean;
  readonly clients: Map<pg.Client, { readonly at: number; readonly timeline: number | null }>;
}

const known = new Map<string, Hosts>();
const states = new Map<string, State>();

/** One instance per URL and process. Throws on a malformed URL. */
export function hostsOf(url: string): Hosts {
  const before = known.get(url);
  if (before !== undefined) return before;
  const urls = hostUrls(url);
  if (urls === undefined) throw new Error('the database URL cannot be read');
  const made = makeHosts(urls, stateOf(urls));
  known.set(url, made);
  return made;
}

function stateOf(urls: readonly string[]): State {
  const places = urls.map((connectionString) => {
    const { host, port, database } = new pg.Client({ connectionString });
    return `${host}:${port}/${database}`;
  });
  const name = places.join(' ');
  const state = states.get(name) ?? { next: 0, timeline: 0, isWatched: false, clients: new Map() };
  states.set(name, state);
  return state;
}

function makeHosts(urls: readonly string[], state: State): Hosts {
  function cutWhere(isLost: (at: number, timeline: number | null) => boolean): void {
    for (const [client, { at, timeline }] of state.clients) if (isLost(at, timeline)) cut(client);
  }

  function raise(timeline: number): void {
    if (timeline <= state.timeline) return;
    state.timeline = timeline;
    cutWhere((_, own) => own === null || own < timeline);
  }

  return {
    urls,
    at: () => state.next,
    leave(at) {
      if (at === state.next) state.next = (state.next + 1) % urls.length;
    },
    asks: () => urls.length > 1 || state.isWatched,
    watch() {
      state.isWatched = true;
    },
    timeline: () => state.timeline,
    reached(at, timeline) {
      if (timeline < state.timeline) throw new StalePrimary(timeline, state.timeline);
      raise(timeline);
      state.next = at;
    },
    raise,
    cut: (at) => cutWhere((each) => each === at),
    enter(client, at, timeline) {
      state.clients.set(client, { at, timeline });
      client.once('end', () => state.clients.delete(client));
    },
  };
}

/** Pending queries fail at once. */
function cut(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: Socket } };
  connection.stream.destroy(new Error('Connection terminated: the host is not the primary any more'));
}

/** A failed connection, or one to a standby; `code` is the cause's. */
export class HostFailed extends Error {
  readonly code: string | undefined;

  constructor(host: string, cause: unknown) {
    super(`${host}: ${reasonOf(cause)}`, { cause });
    this.name = 'HostFailed';
    this.code = (cause as { code?: string }).code;
  }
}

/** None of several hosts is a primary that answers. SQLSTATE 08001, sqlclient_unable_to_establish_… */
class NoPrimary extends Error {
  readonly code = '08001';

  constructor(failures: readonly unknown[]) {
    super(`no host of DATABASE_URL is a primary that answers: ${failures.map(reasonOf).join('; ')}`, {
      cause: failures.at(-1),
    });
    this.name = 'NoPrimary';
  }
}

/**
 * No connection: a fault of the network, of names, or of this machine, which lacks descriptors or memory.
 * SQLSTATE 08001, as above.
 */
class NotReached extends Error {
  readonly code = '08001';

  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
    this.name = 'NotReached';
  }
}

/** Node's codes of system errors (errno(3), EAI_AGAIN), not those of TLS or Node itself. */
const SYSTEM_CODE = /^E(?!RR_)/;

/** Runs `connect` and turns a system error into one that says what it means here. */
export async function reaching<T>(connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
    throw typeof code === 'string' && SYSTEM_CODE.test(code) ? new NotReached(error) : error;
  }
}

/** Per host, if there are others to try (ms). */
export const HOST_TIMEOUT_MS = 3_000;
/** A client class for a pool: each client connects to the known primary, or fails. */
export function primaryClient(hosts: Hosts): typeof pg.Client {
  return class PrimaryClient extends pg.Client {
    readonly #at: number;

    constructor(config: pg.ClientConfig = {}) {
      const at = hosts.at();
      super({
        ...config,
        connectionString: hosts.urls[at]!,
        ...(hosts.urls.length > 1 && { connectionTimeoutMillis: HOST_TIMEOUT_MS }),
      });
      this.#at = at;
      // A connection error here must not crash the process.
      this.on('error', () => {});
    }

    // biome-ignore lint/suspicious/noExplicitAny: both forms of the class that it extends
    override connect(callback?: any): any {
      const connected = this.#connect();
      if (callback === undefined) return connected;
      connected.then(
        () => callback(null),
        (error: Error) => callback(error),
      );
    }

    async #connect(): Promise<void> {
      // PostgreSQL 14 and newer report it unasked; a pooler may hide it.
      let isStandby: boolean | undefined;
      this.#onParameter((name, value) => {
        if (name === 'in_hot_standby') isStandby = value === 'on';
      });
      try {
        await super.connect();
        const isAsked = hosts.asks();
        if (isAsked) this.#enter(await askPrimary((query) => super.query(query)));
        else if (isStandby ?? (await this.#asks())) throw new StandbyFound();
        else hosts.enter(this, this.#at, null);
      } catch (error) {
        hosts.leave(this.#at);
        await super.end().catch(() => {});
        const isElsewhere = error instanceof StandbyFound || error instanceof StalePrimary;
        const isOnly = hosts.urls.length === 1 && !isElsewhere;
        throw isOnly ? error : new HostFailed(`${this.host}:${this.port}`, error);
      }
    }

    #enter(timeline: number | null): void {
      if (timeline !== null) hosts.reached(this.#at, timeline);
      hosts.enter(this, this.#at, timeline);
    }

    #onParameter(tell: (name: string, value: string) => void): void {
      const { connection } = this as unknown as { connection: NodeJS.EventEmitter };
      connection.on(
        'parameterStatus',
        ({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) =>
          tell(parameterName, parameterValue),
      );
    }

    async #asks(): Promise<boolean> {
      const { rows } = await super.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      return rows[0]!.standby;
    }
  };
}

interface PrimaryRow {
  readonly standby: boolean;
  readonly timeline: number | null;
}

/** A primary's WAL file name begins with its timeline, eight digits, from its promotion on. */
const ASK_PRIMARY = `select pg_is_in_recovery() as standby, case when not pg_is_in_recovery()
  then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`;

/** Null: the server does not tell its timeline. Throws StandbyFound. */
export async function askPrimary(
  query: (config: pg.QueryConfig) => Promise<pg.QueryResult>,
): Promise<number | null> {
  const config = { text: ASK_PRIMARY, query_timeout: HOST_TIMEOUT_MS };
  let row: PrimaryRow;
  try {
    row = (await query(config)).rows[0];
  } catch (error) {
    // A server without these functions, or without access to them.
    if (/^42/.test((error as { code?: string }).code ?? '')) return null;
    throw error;
  }
  if (row.standby) throw new StandbyFound();
  return row.timeline;
}

/** A replaced primary that does not know it yet. */
export class StalePrimary extends Error {
  readonly code = READ_ONLY;

  constructor(timeline: number, highest: number) {
    super(
      `it is a primary of timeline ${timeline}, which was replaced: one of timeline ${highest} was seen. Stop it, and make it a standby of that one`,
    );
    this.name = 'StalePrimary';
  }
}

export class StandbyFound extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super('it is a standby, which takes no changes');
    this.name = 'StandbyFound';
  }
}

/** Another host may be the primary; other errors, such as a wrong password, are final. */
function mayBeElsewhere(error: unknown): boolean {
  if (!(error instanceof HostFailed)) return false;
  const { code } = error;
  return code === undefined || !/^(?:28|3D|42)/.test(code);
}

/** Tries `connect` once per host until one succeeds. */
export async function tryHosts<T>(hosts: Hosts, connect: () => Promise<T>): Promise<T> {
  const failures: unknown[] = [];
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (!mayBeElsewhere(error)) throw error;
      failures.push(error);
      if (failures.length >= hosts.urls.length) throw failures.length > 1 ? new NoPrimary(failures) : error;
    }
  }
}

export function connectToPrimary(url: string, config: pg.ClientConfig): Promise<pg.Client> {
  const hosts = hostsOf(url);
  const Client = primaryClient(hosts);
  return tryHosts(hosts, async () => {
    const client = new Client(config);
    await client.connect();
    return client;
  });
}

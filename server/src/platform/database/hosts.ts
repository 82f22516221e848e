import type { Socket } from 'node:net';
import pg from 'pg';
import { READ_ONLY, reasonOf } from './failures.ts';
import { hostUrls } from './host-urls.ts';

/**
 * A DATABASE_URL may name several hosts, as libpq's do: whichever of them is the primary is used, and after a
 * fail-over the one that is then. A host that is a standby is left again as soon as it says so, and so is a
 * primary of a lower timeline than one that was seen.
 */

/** What this process knows of the hosts of one URL. */
export interface Hosts {
  readonly urls: readonly string[];
  /** The one to be tried next: the last primary, as far as known. */
  at(): number;
  /** It could not be used: another one is tried, unless somebody has found that already. */
  leave(at: number): void;
  /** Each connection asks for the timeline: there are several hosts, or an epoch is kept outside. */
  asks(): boolean;
  /** From now on each connection asks, also where there is one host. */
  watch(): void;
  /** The highest timeline of a primary that was seen, by this process or another; 0: none. */
  timeline(): number;
  /**
   * A primary there answered with this timeline, and is the one to be used. Throws StalePrimary when it is
   * lower than one that was seen: it was replaced, and whatever it takes is lost.
   */
  reached(at: number, timeline: number): void;
  /** A primary with this timeline is there: connections to earlier ones are cut. */
  raise(timeline: number): void;
  /** Connections to this host are cut: it does not answer. */
  cut(at: number): void;
  /** A connection that was made, from now until its end. */
  enter(client: pg.Client, at: number, timeline: number | null): void;
}

/** Shared by all URLs that name the same hosts, whoever logs in. */
interface State {
  next: number;
  timeline: number;
  isWatched: boolean;
  readonly clients: Map<pg.Client, { readonly at: number; readonly timeline: number | null }>;
}

const known = new Map<string, Hosts>();
const states = new Map<string, State>();

/** The same for all connections of a process to one URL. Throws where that is not a URL. */
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

/** Whoever waits for an answer on it hears at once that there will be none. */
function cut(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: Socket } };
  connection.stream.destroy(new Error('Connection terminated: the host is not the primary any more'));
}

/** Where a connection could not be made, or was to a standby; `code` is that of its cause. */
export class HostFailed extends Error {
  readonly code: string | undefined;

  constructor(host: string, cause: unknown) {
    super(`${host}: ${reasonOf(cause)}`, { cause });
    this.name = 'HostFailed';
    this.code = (cause as { code?: string }).code;
  }
}

/** None of several hosts is a primary that answers. SQLSTATE 08001, sqlclient_unable_to_establish_… */
export class NoPrimary extends Error {
  readonly code = '08001';

  constructor(failures: readonly unknown[]) {
    super(`no host of DATABASE_URL is a primary that answers: ${failures.map(reasonOf).join('; ')}`, {
      cause: failures.at(-1),
    });
    this.name = 'NoPrimary';
  }
}

/** Of one host where there are others to try (ms). */
export const HOST_TIMEOUT_MS = 3_000;
/** A class as a pool wants it: each of its clients connects to the primary that is known, or fails. */
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
      // Before its owner listens: one that breaks while it is looked at is no end of the process.
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
      // PostgreSQL 14 and newer say it unasked; a pooler in between may not.
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

/** The name of a primary's log begins with its timeline, eight digits, from its promotion on. */
const ASK_PRIMARY = `select pg_is_in_recovery() as standby, case when not pg_is_in_recovery()
  then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`;

/** Its timeline; null: it does not tell. Throws StandbyFound. */
export async function askPrimary(
  query: (config: pg.QueryConfig) => Promise<pg.QueryResult>,
): Promise<number | null> {
  const config = { text: ASK_PRIMARY, query_timeout: HOST_TIMEOUT_MS };
  let row: PrimaryRow;
  try {
    row = (await query(config)).rows[0];
  } catch (error) {
    // Something that speaks PostgreSQL's protocol and has no such functions, or keeps them to itself.
    if (/^42/.test((error as { code?: string }).code ?? '')) return null;
    throw error;
  }
  if (row.standby) throw new StandbyFound();
  return row.timeline;
}

/** A primary that was replaced by one with a higher timeline, and does not know. */
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

/** The primary may be another host, or be one soon; anything else, such as a wrong password, is final. */
function mayBeElsewhere(error: unknown): boolean {
  if (!(error instanceof HostFailed)) return false;
  const { code } = error;
  return code === undefined || !/^(?:28|3D|42)/.test(code);
}

/** `connect` is tried once for each host, until one succeeds. */
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

/** One connection to the primary; its owner ends it. */
export function connectToPrimary(url: string, config: pg.ClientConfig): Promise<pg.Client> {
  const hosts = hostsOf(url);
  const Client = primaryClient(hosts);
  return tryHosts(hosts, async () => {
    const client = new Client(config);
    await client.connect();
    return client;
  });
}

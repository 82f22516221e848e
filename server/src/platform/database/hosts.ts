import pg from 'pg';
import { READ_ONLY, reasonOf } from './failures.ts';
import { hostUrls } from './host-urls.ts';

/**
 * A DATABASE_URL may name several hosts, as libpq's do: whichever of them is the primary is used, and after a
 * fail-over the one that is then. A host that is a standby is left again as soon as it says so.
 */

/** What this process knows of the hosts of one URL. */
export interface Hosts {
  readonly urls: readonly string[];
  /** The one to be tried next: the last primary, as far as known. */
  at(): number;
  /** It could not be used: another one is tried, unless somebody has found that already. */
  leave(at: number): void;
}

const known = new Map<string, Hosts>();

/** The same for all connections of a process to one URL. Throws where that is not a URL. */
export function hostsOf(url: string): Hosts {
  const before = known.get(url);
  if (before !== undefined) return before;
  const urls = hostUrls(url);
  if (urls === undefined) throw new Error('the database URL cannot be read');
  let next = 0;
  const made: Hosts = {
    urls,
    at: () => next,
    leave(at) {
      if (at === next) next = (next + 1) % urls.length;
    },
  };
  known.set(url, made);
  return made;
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
const HOST_TIMEOUT_MS = 3_000;
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
        if (isStandby ?? (await this.#asks())) throw new StandbyFound();
      } catch (error) {
        hosts.leave(this.#at);
        await super.end().catch(() => {});
        const isOnly = hosts.urls.length === 1 && !(error instanceof StandbyFound);
        throw isOnly ? error : new HostFailed(`${this.host}:${this.port}`, error);
      }
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

class StandbyFound extends Error {
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

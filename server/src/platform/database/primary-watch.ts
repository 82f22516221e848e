import pg from 'pg';
import { every, type Repeating } from '../every.ts';
import { askPrimary, HOST_TIMEOUT_MS, type Hosts, StandbyFound } from './hosts.ts';

/** Pause between checks of a host (ms). */
const LOOK_EVERY_MS = 1_000;
/** A primary silent for this long counts as unavailable (ms). */
const SILENT_MS = 8_000;

type Seen = 'primary' | 'standby' | 'silent' | 'unknown';

/**
 * Checks all hosts of a URL in parallel, each over its own connection, so that a hanging primary is left for
 * the promoted one.
 */
export function watchPrimary(hosts: Hosts, applicationName: string): Repeating {
  const seen: Seen[] = hosts.urls.map(() => 'unknown');
  const looks = hosts.urls.map((url, at) => {
    const host = openHost(url, applicationName);
    let silentSinceMs: number | null = null;

    async function look(): Promise<void> {
      try {
        const timeline = await host.ask();
        silentSinceMs = null;
        seen[at] = 'primary';
        if (timeline === null) return;
        const isNewer = timeline > hosts.timeline();
        const isNeeded = timeline === hosts.timeline() && seen[hosts.at()] !== 'primary';
        if (isNewer || isNeeded) hosts.reached(at, timeline);
      } catch (error) {
        const isSilent = !(error instanceof StandbyFound);
        seen[at] = isSilent ? 'silent' : 'standby';
        silentSinceMs = isSilent ? (silentSinceMs ?? performance.now() - HOST_TIMEOUT_MS) : null;
        if (silentSinceMs !== null && performance.now() - silentSinceMs >= SILENT_MS) hosts.cut(at);
      }
    }

    return { looks: every(LOOK_EVERY_MS, look), close: host.close };
  });
  return {
    start() {
      for (const each of looks) each.looks.start();
    },
    async stop() {
      await Promise.all(
        looks.map(async (each) => {
          each.close();
          await each.looks.stop();
        }),
      );
    },
  };
}

function openHost(connectionString: string, applicationName: string) {
  let client: pg.Client | null = null;
  let closed = false;

  async function connect(): Promise<pg.Client> {
    const made = new pg.Client({
      connectionString,
      application_name: `${applicationName}:watch`,
      connectionTimeoutMillis: HOST_TIMEOUT_MS,
    });
    made.on('error', () => {});
    await made.connect().catch((error) => {
      drop(made);
      throw error;
    });
    if (closed) drop(made);
    return made;
  }

  function drop(lost: pg.Client): void {
    const { connection } = lost as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
  }

  return {
    async ask(): Promise<number | null> {
      client ??= await connect();
      const asked = client;
      try {
        return await askPrimary((query) => asked.query(query));
      } catch (error) {
        if (!(error instanceof StandbyFound)) {
          client = null;
          drop(asked);
        }
        throw error;
      }
    },
    close(): void {
      closed = true;
      if (client !== null) drop(client);
      client = null;
    },
  };
}

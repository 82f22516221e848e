import pg from 'pg';
import { hostsOf, primaryClient } from './hosts.ts';

const LISTEN_RETRY_MS = 1_000;

interface ListenerOptions {
  readonly connectionString: string;
  readonly applicationName: string;
  readonly connectTimeoutMs: number;
  readonly onError?: (error: Error) => void;
}

/** One connection that listens for all subscribers, reopened when lost. */
export function createListener(options: ListenerOptions) {
  const Client = primaryClient(hostsOf(options.connectionString));
  const handlers = new Map<string, Set<(payload: string) => void>>();
  let client: pg.Client | null = null;
  let connecting: Promise<void> | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const made = new Client({
      application_name: `${options.applicationName}:listen`,
      connectionTimeoutMillis: options.connectTimeoutMs,
      pipeline: true,
    } as pg.ClientConfig);
    const lost = (error?: Error) => {
      if (client === made) client = null;
      if (error !== undefined) options.onError?.(error);
      if (!closed) retry ??= setTimeout(ensure, LISTEN_RETRY_MS).unref();
    };
    made.on('error', lost);
    made.on('end', () => lost());
    made.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '');
    });
    try {
      await made.connect();
      client = made;
      for (const channel of handlers.keys()) await made.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      lost(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function ensure(): void {
    retry = undefined;
    if (closed || client !== null || connecting !== null) return;
    connecting = connect().finally(() => {
      connecting = null;
    });
  }

  return {
    listen(channel: string, onNotify: (payload: string) => void): () => void {
      const known = handlers.get(channel) ?? new Set();
      known.add(onNotify);
      handlers.set(channel, known);
      if (client === null) ensure();
      else client.query(`listen ${pg.escapeIdentifier(channel)}`).catch((error) => options.onError?.(error));
      return () => void known.delete(onNotify);
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(retry);
      await connecting;
      await client?.end();
    },
  };
}

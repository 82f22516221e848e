/** The client. */
import { Calls, createShared } from './calls.ts';
import { Resources } from './client-generated.ts';
import { type AcuseOptions, readKey, readSettings } from './options.ts';
import { type OutboxConnection, type OutboxOptions, sendDue } from './outbox.ts';
import { INSPECT } from './secrets.ts';
import { openTransport } from './transport/open.ts';

/** Options that a view of a client can change: not its key, connections or server. */
export type ViewOptions = Pick<
  AcuseOptions,
  'maxRetries' | 'connectTimeoutMs' | 'timeoutMs' | 'deadlineMs' | 'onAttempt' | 'appInfo'
>;

/**
 * A client of the machine API. One serves a whole program: it keeps connections and shares a budget of
 * retries between all calls. Throws ConfigurationError for options that cannot work.
 */
export class Acuse extends Resources {
  readonly #calls: Calls;
  readonly #options: AcuseOptions;

  constructor(options: AcuseOptions = {}) {
    const settings = readSettings(options);
    const calls =
      inherited.get(options) ??
      new Calls(createShared(readKey(options.apiKey), openTransport(options, settings.baseUrl)), settings);
    super(calls);
    this.#calls = calls;
    this.#options = options;
  }

  /** A client with other options over the same connections, key and budget. */
  withOptions(options: ViewOptions): Acuse {
    const all = { ...this.#options, ...options };
    inherited.set(all, this.#calls.with(readSettings(all)));
    return new Acuse(all);
  }

  /**
   * Sends the messages of the outbox that are due, each once, however often and from wherever this is called.
   * `connection` must not be in a transaction. Answers how many messages came to their end, sent or refused;
   * why a message waits or was refused stands in the table. Rejects for what the database says, alone.
   */
  sendOutbox(connection: OutboxConnection, options: OutboxOptions = {}): Promise<number> {
    return sendDue(this.#calls, connection, options);
  }

  /** Ends the connections that are kept. A client that is used again opens new ones. */
  close(): void {
    this.#calls.close();
  }

  /** Never shows the key. */
  override toString(): string {
    return `Acuse(${this.#calls.settings.baseUrl}, ${this.#calls.maskedKey})`;
  }

  toJSON(): { readonly baseUrl: string; readonly apiKey: string } {
    return { baseUrl: this.#calls.settings.baseUrl, apiKey: this.#calls.maskedKey };
  }

  [INSPECT](): string {
    return this.toString();
  }
}

/** Options of a view → what it makes calls with. */
const inherited = new WeakMap<AcuseOptions, Calls>();

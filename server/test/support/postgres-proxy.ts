import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Stands between a server and its PostgreSQL and, once armed, breaks in at one exact point of one
 * transaction: so a test decides whether a commit happened and whether the server learned of it, and the
 * server's own code needs no hook for it.
 */
export interface PostgresProxy {
  /** The same database, reached through the proxy. */
  readonly url: string;
  /**
   * Breaks in at the commit of the next transaction that runs the prepared statement. `before`: PostgreSQL
   * never sees the COMMIT. `after`: it has committed, and its answer never arrives. The connection is cut
   * once `act` is done; resolves then.
   */
  breakAtCommit(statement: string, when: 'before' | 'after', act?: () => Promise<void>): Promise<void>;
  /**
   * Holds back every connection that runs the prepared statement, from there on, until the returned function
   * is called.
   */
  stallAt(statement: string): () => void;
  /** The first connection that `stallAt` holds back. */
  readonly stalled: Promise<void>;
  /** From now on nothing comes back, on any connection, as from a machine that is frozen. */
  freeze(): void;
  close(): Promise<void>;
}

interface Armed {
  readonly statement: string;
  readonly when: 'before' | 'after';
  act(): Promise<void>;
  done(): void;
}

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const sockets = new Set<Socket>();
  let armed: Armed | null = null;
  let stalledAt: string | null = null;
  let letGo: (() => void)[] = [];
  let isFrozen = false;
  let tellStalled = () => {};
  const stalled = new Promise<void>((resolve) => {
    tellStalled = resolve;
  });

  async function breakIn(cut: () => void): Promise<void> {
    const { act, done } = armed!;
    armed = null;
    await act();
    cut();
    done();
  }

  function join(client: Socket, upstream: Socket): void {
    const asked = createFrames(STARTUP);
    const answered = createFrames(TYPED);
    /** The statement that is waited for has run in the transaction now open on this connection. */
    let marked = false;
    /** From the break on nothing goes through here. */
    let broken = false;
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    /** PostgreSQL's answers stay there; it has got the requests. */
    function hold(): void {
      upstream.pause();
      letGo.push(() => upstream.resume());
    }
    function passes(when: Armed['when'], isEnd: boolean): boolean {
      if (broken) return false;
      if (!isEnd || !marked || armed?.when !== when) return true;
      broken = true;
      void breakIn(cut);
      return false;
    }
    client.on('data', (chunk) => {
      for (const frame of asked(chunk)) {
        if (isFrozen) return;
        if (stalledAt !== null && runs(frame, stalledAt)) {
          hold();
          tellStalled();
        }
        if (armed !== null && runs(frame, armed.statement)) marked = true;
        if (passes('before', frame.equals(COMMIT_ASKED))) upstream.write(frame);
      }
    });
    upstream.on('data', (chunk) => {
      if (isFrozen) return;
      for (const frame of answered(chunk)) {
        const ended = frame.equals(COMMIT_DONE);
        if (passes('after', ended)) client.write(frame);
        if (ended) marked = false;
      }
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
  }

  const server = createServer((client) => join(client, connectTo(databaseUrl)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.searchParams.set('host', '127.0.0.1');
  url.searchParams.set('port', String((server.address() as { port: number }).port));

  return {
    url: url.href,
    breakAtCommit: (statement, when, act = async () => {}) =>
      new Promise((done) => {
        armed = { statement, when, act, done };
      }),
    stallAt(statement) {
      stalledAt = statement;
      return () => {
        stalledAt = null;
        for (const resume of letGo) resume();
        letGo = [];
      };
    },
    stalled,
    freeze() {
      isFrozen = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const POSTGRES_PORT = 5432;

/** As libpq reads it: a `host` that is a path is the folder of a Unix socket. */
function connectTo(databaseUrl: string): Socket {
  const url = new URL(databaseUrl);
  const host = url.searchParams.get('host') ?? url.hostname;
  const port = Number(url.searchParams.get('port') ?? (url.port || POSTGRES_PORT));
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
}

/**
 * The end of a transaction, asked and answered: a simple query, CommandComplete. PostgreSQL protocol 3.0,
 * "Message Formats".
 */
const COMMIT_ASKED = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');
const COMMIT_DONE = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1');

/** True for a Parse or Bind of this prepared statement. */
function runs(frame: Buffer, statement: string): boolean {
  const type = String.fromCharCode(frame[0]!);
  return (type === 'P' || type === 'B') && frame.includes(`${statement}\0`);
}

/** The first message of a client has no type octet before its length. */
const STARTUP = 0;
const TYPED = 1;

/**
 * Cuts a stream of the protocol into whole messages; a large one is put together once, however many pieces it
 * comes in.
 */
function createFrames(first: typeof STARTUP | typeof TYPED): (chunk: Buffer) => Buffer[] {
  let lengthAt: number = first;
  let pieces: Buffer[] = [];
  let have = 0;
  let need = 0;
  return (chunk) => {
    pieces.push(chunk);
    have += chunk.length;
    if (have < need) return [];
    let rest = pieces.length === 1 ? chunk : Buffer.concat(pieces);
    const frames: Buffer[] = [];
    for (;;) {
      need = rest.length < lengthAt + 4 ? lengthAt + 4 : lengthAt + rest.readUInt32BE(lengthAt);
      if (rest.length < need) break;
      frames.push(rest.subarray(0, need));
      rest = rest.subarray(need);
      lengthAt = TYPED;
    }
    pieces = [rest];
    have = rest.length;
    return frames;
  };
}

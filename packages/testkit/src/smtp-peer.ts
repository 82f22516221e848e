/**
 * A scripted SMTP server for tests: it behaves, except where the script says otherwise, and keeps every byte
 * it got. Not a model of a good server: it checks nothing and believes the client.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';

/** Where a script can step in. `dot` is the end of DATA (or BDAT LAST), `body` the first message bytes. */
export type PeerStage =
  | 'banner'
  | 'ehlo'
  | 'helo'
  | 'starttls'
  | 'auth'
  | 'authNext'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'bdat'
  | 'body'
  | 'dot'
  | 'rset'
  | 'quit';

/**
 * Text or bytes go out exactly as they are, line ends included. `stall` never answers, `drop` closes, `reset`
 * sends RST.
 */
export type PeerAction =
  | string
  | Uint8Array
  | { readonly kind: 'stall' | 'drop' | 'reset' | 'default' }
  /** Sends `then` after `ms`. */
  | { readonly kind: 'wait'; readonly ms: number; readonly then: string }
  /** Sends the bytes once `until` is settled. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown>; readonly bytes: string }
  /** Sends `bytes` again and again, at most `times`, until the client goes. */
  | { readonly kind: 'flood'; readonly bytes: string; readonly times: number; readonly everyMs?: number }
  /** Sends the bytes, then closes. */
  | { readonly kind: 'sendAndDrop'; readonly bytes: string };

export type PeerScript = Partial<
  Record<PeerStage, PeerAction | readonly PeerAction[] | ((session: PeerSession) => PeerAction)>
>;

export interface PeerMessage {
  readonly mail: string;
  readonly rcpt: readonly string[];
  /** As on the wire: stuffed for DATA and without the end mark, as chunked for BDAT. */
  readonly raw: Buffer;
  readonly via: 'DATA' | 'BDAT';
}

export interface PeerSession {
  /** Where the client came from. */
  readonly remoteAddress: string;
  /** Every byte of the client, in the clear. */
  readonly received: () => Buffer;
  readonly commands: string[];
  readonly messages: PeerMessage[];
  secure: boolean;
  closed: boolean;
  /** How often each stage was reached, this time included. */
  readonly counts: Map<PeerStage, number>;
}

export interface SmtpPeerOptions {
  readonly script?: PeerScript;
  /** EHLO keywords; default PIPELINING, 8BITMIME, SIZE 10485760, and STARTTLS if there is a certificate. */
  readonly extensions?: readonly string[];
  readonly certificate?: { readonly certPem: string; readonly keyPem: string };
  readonly implicitTls?: boolean;
  readonly host?: string;
}

export interface SmtpPeer {
  readonly port: number;
  readonly sessions: PeerSession[];
  /** The messages of all sessions, oldest first. */
  messages(): PeerMessage[];
  close(): Promise<void>;
}

const DEFAULT_EXTENSIONS = ['PIPELINING', '8BITMIME', 'SIZE 10485760'];
const END_OF_DATA = '\r\n.\r\n';

/** Listens on a free loopback port. */
export async function startSmtpPeer(options: SmtpPeerOptions = {}): Promise<SmtpPeer> {
  const sessions: PeerSession[] = [];
  const sockets = new Set<Socket>();
  const onSocket = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
    const conversation = new Conversation(socket, options, options.implicitTls === true);
    sessions.push(conversation.session);
  };
  const server: Server =
    options.implicitTls === true
      ? createTlsServer({ cert: options.certificate!.certPem, key: options.certificate!.keyPem }, onSocket)
      : createServer(onSocket);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, options.host ?? '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    sessions,
    messages: () => sessions.flatMap((session) => session.messages),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

class Conversation {
  readonly session: PeerSession;
  #socket: Socket;
  /** Beneath TLS: only a TCP socket can be reset. */
  readonly #tcp: Socket;
  readonly #options: SmtpPeerOptions;
  readonly #chunks: Buffer[] = [];
  #buffer = Buffer.alloc(0);
  #mode: 'command' | 'data' | 'bdat' | 'auth' | 'dead' = 'command';
  #authLeft = 0;
  #chunkLeft = 0;
  #chunkLast = false;
  #body: Buffer[] = [];
  #bodyStarted = false;
  #bodyRefused = false;
  #mail = '';
  #rcpt: string[] = [];
  #queue: Promise<void> = Promise.resolve();

  constructor(socket: Socket, options: SmtpPeerOptions, secure: boolean) {
    this.#socket = socket;
    this.#tcp = socket;
    this.#options = options;
    this.session = {
      remoteAddress: socket.remoteAddress ?? '',
      received: () => Buffer.concat(this.#chunks),
      commands: [],
      messages: [],
      secure,
      closed: false,
      counts: new Map(),
    };
    this.#listen();
    this.#answer('banner', '220 peer.test ESMTP\r\n');
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.session.closed = true;
      this.#mode = 'dead';
    });
    socket.on('data', this.#onData);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    let before = -1;
    while (this.#buffer.length !== before && this.#buffer.length > 0) {
      before = this.#buffer.length;
      if (this.#mode === 'data') this.#readData();
      else if (this.#mode === 'bdat') this.#readChunk();
      else if (this.#mode === 'command' || this.#mode === 'auth') this.#readCommand();
      else return;
    }
  };

  #take(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  #readCommand(): void {
    const end = this.#buffer.indexOf('\r\n');
    if (end === -1) return;
    const line = this.#take(end + 2)
      .subarray(0, -2)
      .toString('utf8');
    this.session.commands.push(line);
    if (this.#mode === 'auth') {
      this.#authLeft -= 1;
      if (this.#authLeft === 0) this.#mode = 'command';
      this.#answer('authNext', this.#authLeft > 0 ? '334 UGFzc3dvcmQ6\r\n' : '235 2.7.0 accepted\r\n');
      return;
    }
    this.#command(line);
  }

  #command(line: string): void {
    const verb = line.split(/[ :]/, 1)[0]?.toUpperCase();
    if (verb === 'EHLO') this.#answer('ehlo', this.#ehlo());
    else if (verb === 'HELO') this.#answer('helo', '250 peer.test\r\n');
    else if (verb === 'STARTTLS') this.#startTls();
    else if (verb === 'AUTH') this.#auth(line);
    else if (verb === 'MAIL') {
      this.#mail = line;
      this.#rcpt = [];
      this.#answer('mail', '250 2.1.0 ok\r\n');
    } else if (verb === 'RCPT') {
      this.#rcpt.push(line);
      this.#answer('rcpt', '250 2.1.5 ok\r\n');
    } else if (verb === 'DATA') this.#answer('data', '354 go ahead\r\n');
    else if (verb === 'BDAT') this.#bdat(line);
    else if (verb === 'RSET') this.#answer('rset', '250 2.0.0 ok\r\n');
    else if (verb === 'QUIT') this.#answer('quit', { kind: 'sendAndDrop', bytes: '221 2.0.0 bye\r\n' });
    else this.#send('500 5.5.2 what?\r\n');
  }

  #ehlo(): string {
    const offered = [...(this.#options.extensions ?? DEFAULT_EXTENSIONS)];
    if (this.#options.certificate !== undefined && !this.session.secure) offered.push('STARTTLS');
    const lines = ['peer.test', ...offered];
    return lines.map((line, i) => `250${i === lines.length - 1 ? ' ' : '-'}${line}\r\n`).join('');
  }

  #auth(line: string): void {
    if (/^AUTH LOGIN$/i.test(line)) {
      this.#answer('auth', '334 VXNlcm5hbWU6\r\n');
      this.#mode = 'auth';
      this.#authLeft = 2;
    } else this.#answer('auth', '235 2.7.0 accepted\r\n');
  }

  #startTls(): void {
    this.#mode = 'dead';
    this.#answer('starttls', '220 2.0.0 go ahead\r\n', (sent) => {
      if (!sent.startsWith('220') || this.#options.certificate === undefined) {
        this.#mode = 'command';
        return;
      }
      this.#socket.off('data', this.#onData);
      this.#buffer = Buffer.alloc(0);
      const { certPem, keyPem } = this.#options.certificate;
      this.#socket = new TLSSocket(this.#socket, { isServer: true, cert: certPem, key: keyPem });
      this.session.secure = true;
      this.#mode = 'command';
      this.#listen();
    });
  }

  #bdat(line: string): void {
    const [, size, last] = /^BDAT (\d+)( LAST)?$/i.exec(line) ?? [];
    this.#chunkLeft = Number(size);
    this.#chunkLast = last !== undefined;
    this.#mode = 'bdat';
    this.#note('bdat');
    if (this.#chunkLeft === 0) this.#chunkDone();
  }

  #readChunk(): void {
    const taken = this.#take(Math.min(this.#chunkLeft, this.#buffer.length));
    this.#body.push(taken);
    this.#chunkLeft -= taken.length;
    if (this.#chunkLeft === 0) this.#chunkDone();
  }

  #chunkDone(): void {
    this.#mode = 'command';
    if (!this.#chunkLast) {
      this.#send('250 2.0.0 chunk ok\r\n');
      return;
    }
    this.#finish(Buffer.concat(this.#body), 'BDAT');
  }

  #readData(): void {
    if (!this.#bodyStarted) {
      this.#bodyStarted = true;
      if (this.#options.script?.body !== undefined) this.#bodyRefused = !this.#answer('body', NOTHING);
    }
    const whole = Buffer.concat([...this.#body, this.#buffer]);
    const empty = whole.subarray(0, 3).toString('latin1') === '.\r\n';
    const end = empty ? 0 : whole.indexOf(END_OF_DATA);
    if (end === -1) {
      this.#body = [whole];
      this.#buffer = Buffer.alloc(0);
      return;
    }
    this.#buffer = whole.subarray(empty ? 3 : end + END_OF_DATA.length);
    this.#mode = 'command';
    this.#finish(empty ? Buffer.alloc(0) : whole.subarray(0, end + 2), 'DATA');
  }

  #finish(raw: Buffer, via: 'DATA' | 'BDAT'): void {
    if (this.#bodyRefused) {
      // A peer that goes wrong in the middle of a message has not taken it, though all of it may have arrived
      // already.
      this.#body = [];
      this.#bodyStarted = false;
      this.#bodyRefused = false;
      return;
    }
    this.session.messages.push({ mail: this.#mail, rcpt: [...this.#rcpt], raw: Buffer.from(raw), via });
    this.#body = [];
    this.#bodyStarted = false;
    this.#answer('dot', '250 2.0.0 queued as TEST\r\n');
  }

  #note(stage: PeerStage): number {
    const count = (this.session.counts.get(stage) ?? 0) + 1;
    this.session.counts.set(stage, count);
    return count;
  }

  /**
   * Replies go out in turn, so that a slow one holds up those behind it, as on a real server. True: as usual.
   */
  #answer(stage: PeerStage, usual: PeerAction, then?: (sent: string) => void): boolean {
    const count = this.#note(stage);
    const scripted = this.#options.script?.[stage];
    let actions: readonly PeerAction[];
    if (scripted === undefined) actions = [usual];
    else if (typeof scripted === 'function') actions = [scripted(this.session)];
    else if (isList(scripted)) actions = [scripted[Math.min(count, scripted.length) - 1]!];
    else actions = [scripted];
    const isDefault = (action: PeerAction) =>
      typeof action === 'object' && 'kind' in action && action.kind === 'default';
    const action = actions.map((a) => (isDefault(a) ? usual : a))[0]!;
    // A script may refuse DATA: what comes next is a command again.
    const sent = textOf(action);
    if (stage === 'data' && sent.startsWith('354')) this.#mode = 'data';
    this.#queue = this.#queue.then(() => this.#perform(action)).then(() => then?.(sent));
    return action === usual;
  }

  #send(bytes: string | Uint8Array): void {
    this.#queue = this.#queue.then(() => this.#write(bytes));
  }

  #write(bytes: string | Uint8Array): void {
    if (this.session.closed || this.#socket.destroyed) return;
    this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  async #perform(action: PeerAction): Promise<void> {
    if (typeof action === 'string' || action instanceof Uint8Array) {
      this.#write(action);
      return;
    }
    if (action.kind === 'drop') this.#socket.end();
    else if (action.kind === 'reset') this.#tcp.resetAndDestroy();
    else if (action.kind === 'stall') await new Promise(() => {});
    else if (action.kind === 'wait') {
      await new Promise((resolve) => setTimeout(resolve, action.ms));
      this.#write(action.then);
    } else if (action.kind === 'hold') {
      await action.until.catch(() => {});
      this.#write(action.bytes);
    } else if (action.kind === 'sendAndDrop') {
      this.#write(action.bytes);
      this.#socket.end();
    } else if (action.kind === 'flood') {
      for (let i = 0; i < action.times && !this.session.closed; i += 1) {
        this.#write(action.bytes);
        await new Promise((resolve) => setTimeout(resolve, action.everyMs ?? 0));
      }
    }
  }
}

/** No reply is due here. */
const NOTHING: PeerAction = { kind: 'default' };

/** The last words of an action, where it is said in text. */
function textOf(action: PeerAction): string {
  if (typeof action === 'string') return action;
  if (action instanceof Uint8Array) return '';
  if (action.kind === 'hold') return action.bytes;
  return action.kind === 'wait' ? action.then : '';
}

function isList(value: unknown): value is readonly PeerAction[] {
  return Array.isArray(value);
}

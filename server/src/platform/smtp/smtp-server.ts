import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { FairPlaces } from '../fair-places.ts';
import { holdersOf } from '../network/network.ts';
import { takeDotsOut } from './dots.ts';

interface EnhancedOptions {
  /** Sockets at once, TLS handshakes included. Beyond it the largest holder loses one. */
  readonly maxSockets: number;
  /** From connecting to TLS, for implicit TLS (ms). */
  readonly handshakeMs: number;
  onSession(session: SMTPServerSession): void;
  isAtWork(session: SMTPServerSession): boolean;
}

/**
 * Adds to the library's server: an enhanced status code in every reply (RFC 2034 §4); no passwords before TLS
 * (RFC 4954 §4); sessions that can be ended from outside; fair places for sockets; bounded handshakes.
 */
export class EnhancedSmtpServer extends SMTPServer {
  readonly #connections = new WeakMap<SMTPServerSession, EnhancedConnection>();
  /** Raw sockets, which hold the places whatever TLS wraps them. */
  readonly #places: FairPlaces<Socket>;
  readonly #sessions = new WeakMap<Socket, SMTPServerSession>();
  readonly #accepted = new WeakMap<object, Socket>();
  readonly #enhanced: EnhancedOptions;

  constructor(options: SMTPServerOptions, enhanced: EnhancedOptions) {
    super(options);
    this.#enhanced = enhanced;
    this.#places = new FairPlaces({ max: enhanced.maxSockets, isIdle: (socket) => this.#isIdle(socket) });
  }

  #isIdle(socket: Socket): boolean {
    const session = this.#sessions.get(socket);
    return session === undefined || !this.#enhanced.isAtWork(session);
  }

  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    socket.once('close', () => this.#places.leave(socket));
    const gone = this.#places.enter(socket, holdersOf(socket.remoteAddress ?? ''));
    if (gone !== null) this.#makeRoom(gone);
    return gone === socket ? false : super._acceptSocket(socket, handshake);
  }

  #makeRoom(socket: Socket): void {
    const session = this.#sessions.get(socket);
    if (session !== undefined) return void this.end(session, MADE_ROOM);
    socket.on('error', () => {});
    // The TLS socket if there is one: destroying the raw one during a handshake crashes the process.
    (this._pendingSockets.get(socket) ?? socket).destroy();
  }

  /** It did something valid: `holders` hold its place from now on. */
  prove(session: SMTPServerSession, holders?: readonly string[]): void {
    const socket = this.#accepted.get(session);
    if (socket !== undefined) this.#places.prove(socket, holders);
  }

  override _upgrade(socket: Socket, callback: Parameters<SMTPServer['_upgrade']>[1]): void {
    // It made room, or everything stops, since it was accepted: TLS over it ends the process (SIGSEGV).
    if (socket.destroyed) {
      callback(new Error('the connection ended before its TLS handshake'));
      return;
    }
    const timer = setTimeout(() => {
      const inHandshake = this._pendingSockets.get(socket);
      inHandshake?.destroy(new Error('the TLS handshake took too long'));
    }, this.#enhanced.handshakeMs).unref();
    super._upgrade(socket, (error, tlsSocket) => {
      clearTimeout(timer);
      if (tlsSocket !== undefined) this.#accepted.set(tlsSocket, socket);
      callback(error, tlsSocket);
    });
  }

  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    const connection = new EnhancedConnection(this, socket, options);
    this.#connections.set(connection.session, connection);
    const accepted = this.#accepted.get(socket) ?? (socket as Socket);
    this.#sessions.set(accepted, connection.session);
    this.#accepted.set(connection.session, accepted);
    this.connections.add(connection);
    connection.on('error', (error) => this.emit('error', error));
    this.#enhanced.onSession(connection.session);
    connection.init();
  }

  /** Tells the client why and closes. */
  end(session: SMTPServerSession, text: string): void {
    this.#connections.get(session)?.leave(text);
  }
}

/** After it the library closes the connection. RFC 5321 §3.8 */
const CLOSING = 421;
const MADE_ROOM = '4.7.0 Too many connections: yours made room, try again later';
const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;
const ENCRYPT_FIRST = '5.7.11 Encryption required: send STARTTLS first';

/** RFC 5321 §4.1.2 */
const QUOTED_PATH = /^([^<]*)<("(?:[^"\\\p{C}]|\\[ -~])*")(@.*)$/su;
const RCPT = /^RCPT /i;
const STAND_IN = 'quoted';

/** Replies after which pipelined commands continue. */
const GOES_ON: ReadonlySet<number> = new Set([250, 354]);

/** Commands without a message, RCPT apart; beyond it the session ends. */
export const MAX_IDLE_COMMANDS = 100;
/** The same with RCPT: recipients above the limit are answered one by one. RFC 5321 §4.5.3.1.8 */
export const MAX_COMMANDS = 1_000;
const TOO_MANY_COMMANDS = '4.7.0 Too many commands without a message';

class EnhancedConnection extends SMTPConnection {
  #corked: Socket | null = null;
  /** Since the last message. */
  #commands = 0;
  #idleCommands = 0;
  #messages = 0;

  override _createParser(): SMTPStream {
    return takeDotsOut(super._createParser());
  }

  override _onCommand(command: Buffer, callback?: () => void): void {
    // What comes before the handshake is dropped, and a clear-text reply would break it.
    if (!this._upgrading && this.#isTooMany(command)) this.send(CLOSING, TOO_MANY_COMMANDS);
    else super._onCommand(command, callback);
  }

  #isTooMany(command: Buffer): boolean {
    if (this.#messages !== this._transactionCounter) {
      this.#messages = this._transactionCounter;
      this.#commands = 0;
      this.#idleCommands = 0;
    }
    this.#commands++;
    if (!RCPT.test(command.toString('latin1', 0, 5))) this.#idleCommands++;
    return this.#commands > MAX_COMMANDS || this.#idleCommands > MAX_IDLE_COMMANDS;
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    if (GOES_ON.has(code)) this.#gather();
    else this.#flush();
    this.#reply(code, data, context);
  }

  /** The library cuts paths at white space and each @: it is given a stand-in for a quoted local part. */
  override _parseAddressCommand(...[name, command]: Parameters<SMTPConnection['_parseAddressCommand']>) {
    const quoted = QUOTED_PATH.exec(command.toString());
    if (quoted === null) return super._parseAddressCommand(name, command);
    const [, verb, localPart, rest] = quoted;
    const parsed = super._parseAddressCommand(name, `${verb}<${STAND_IN}${rest}`);
    if (parsed === false || !parsed.address.startsWith(STAND_IN)) return parsed;
    return { ...parsed, address: `${localPart}${parsed.address.slice(STAND_IN.length)}` };
  }

  /** A command that is read after the end of its connection: TLS over that ends the process (SIGSEGV). */
  override upgrade(...how: Parameters<SMTPConnection['upgrade']>): void {
    if (!this._socket.destroyed) super.upgrade(...how);
  }

  /** At once, even if the client does not read: its place is taken. */
  leave(text: string): void {
    this.send(CLOSING, text);
    // A handshake is bounded, and a clear-text reply would break it.
    if (!this._upgrading) this._socket.destroySoon();
  }

  /** Replies to one group of commands leave in one segment. RFC 2920 §3.2 */
  #gather(): void {
    if (this.#corked !== null) return;
    this.#corked = this._socket;
    this.#corked.cork();
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#corked?.uncork();
    this.#corked = null;
  }

  #reply(code: number, data?: string | string[] | null, context?: string | false): void {
    if (typeof data === 'string' && ENHANCED.test(data)) super.send(code, data, false);
    // Only EHLO has several lines. AUTH is not offered before TLS.
    else if (Array.isArray(data) && !this.secure) super.send(code, data.filter(isNoLogin), context);
    else super.send(code, data, context);
  }

  override handler_AUTH(command: Buffer, callback: () => void): void {
    if (this.secure) {
      super.handler_AUTH(command, callback);
      return;
    }
    this.send(538, ENCRYPT_FIRST);
    callback();
  }
}

function isNoLogin(line: string): boolean {
  return !line.startsWith('AUTH ');
}

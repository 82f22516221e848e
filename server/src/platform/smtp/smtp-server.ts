import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { FairPlaces } from '../fair-places.ts';
import { holdersOf } from '../network/network.ts';
import { takeDotsOut } from './dots.ts';

/** What the library's options do not say. */
export interface EnhancedOptions {
  /** Sockets at once, those in a TLS handshake included. With one more, one of the largest holder goes. */
  readonly maxSockets: number;
  /** From connecting until the TLS session is established, if TLS comes first (ms). */
  readonly handshakeMs: number;
  /** Called for each session before its greeting. */
  onSession(session: SMTPServerSession): void;
  /** Whether a message of the session is being received or judged. */
  isAtWork(session: SMTPServerSession): boolean;
}

/**
 * The library's server, with what it does not do itself: every reply carries one enhanced status code, ours
 * where we have a better one (RFC 2034 §4); no password is asked for or taken before TLS (RFC 4954 §4); a
 * session can be ended from outside; sockets have places that are shared fairly from the first byte on, and a
 * handshake takes as long as it may, however its bytes drip.
 */
export class EnhancedSmtpServer extends SMTPServer {
  readonly #connections = new WeakMap<SMTPServerSession, EnhancedConnection>();
  /** As they were accepted: by them places are held, whatever TLS is put over them. */
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
    // The TLS socket, if it was made: taking the one below it away in a handshake ends the process.
    (this._pendingSockets.get(socket) ?? socket).destroy();
  }

  /** It did something valid: it is held by `holders` from now on, and so is its place against strangers'. */
  prove(session: SMTPServerSession, holders?: readonly string[]): void {
    const socket = this.#accepted.get(session);
    if (socket !== undefined) this.#places.prove(socket, holders);
  }

  override _upgrade(socket: Socket, callback: Parameters<SMTPServer['_upgrade']>[1]): void {
    const timer = setTimeout(() => {
      // The TLS socket, if it was made: taking the one below it away in a handshake ends the process.
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

  /** Tells the client why and closes, whatever it is in the middle of. */
  end(session: SMTPServerSession, text: string): void {
    this.#connections.get(session)?.leave(text);
  }
}

/** After it the library closes the connection. RFC 5321 §3.8 */
const CLOSING = 421;
const MADE_ROOM = '4.7.0 Too many connections: yours made room, try again later';
const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;
const ENCRYPT_FIRST = '5.7.11 Encryption required: send STARTTLS first';

/** Replies after which the session goes on as it is, with whatever else the client has sent already. */
const GOES_ON: ReadonlySet<number> = new Set([250, 354]);

class EnhancedConnection extends SMTPConnection {
  #corked: Socket | null = null;

  override _createParser(): SMTPStream {
    return takeDotsOut(super._createParser());
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    if (GOES_ON.has(code)) this.#gather();
    else this.#flush();
    this.#reply(code, data, context);
  }

  /** At once, whether the client reads it or not: its place is another's. */
  leave(text: string): void {
    this.send(CLOSING, text);
    // In a handshake the library waits: it is bounded, and a reply in clear would break it.
    if (!this._upgrading) this._socket.destroySoon();
  }

  /** What is answered to one group of commands leaves in one segment. RFC 2920 §3.2 */
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
    // The one reply of several lines is EHLO's. What is not offered there no sound client sends in clear.
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

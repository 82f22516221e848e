import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';

/**
 * The library's server, with three things that it does not do by itself: every reply carries one enhanced status code, ours
 * where we have a better one (RFC 2034); no password is asked for or taken before TLS (RFC 4954 §4); a session can be ended from outside.
 */
export class EnhancedSmtpServer extends SMTPServer {
  readonly #connections = new WeakMap<SMTPServerSession, SMTPConnection>();

  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    const connection = new EnhancedConnection(this, socket, options);
    this.#connections.set(connection.session, connection);
    this.connections.add(connection);
    connection.on('error', (error) => this.emit('error', error));
    connection.init();
  }

  /** Tells the client why and closes, whatever it is in the middle of. */
  end(session: SMTPServerSession, text: string): void {
    this.#connections.get(session)?.send(CLOSING, text);
  }
}

/** After it the library closes the connection. RFC 5321 §3.8 */
const CLOSING = 421;
const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;
const ENCRYPT_FIRST = '5.7.11 Encryption required: send STARTTLS first';

class EnhancedConnection extends SMTPConnection {
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
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

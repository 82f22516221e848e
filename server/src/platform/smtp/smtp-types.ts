import type { Log } from '../logger.ts';
import type { SmtpTimeouts } from './smtp-timeouts.ts';

export interface SmtpListenerOptions<Identity = null> {
  readonly name: string;
  readonly hostname: string;
  readonly host: string;
  readonly port: number;
  /** Offers STARTTLS when given; PEM. */
  readonly certificate?: SmtpCertificate;
  /** TLS from the first byte (RFC 8314 §3.3) in place of STARTTLS; needs a certificate. */
  readonly implicitTls?: boolean;
  /** Default: the library's. */
  readonly minTlsVersion?: 'TLSv1.2' | 'TLSv1.3';
  readonly maxMessageBytes: number;
  /**
   * `refused` by default; `ends`: a bare LF ends a line, for known clients. The end of data is CRLF.CRLF
   * either way.
   */
  readonly bareLineFeeds?: 'refused' | 'ends';
  readonly maxRecipients: number;
  readonly maxClients: number;
  readonly timeouts?: Partial<SmtpTimeouts>;
  /** Octets of messages in progress; default 256 MiB. */
  readonly maxHeldBytes?: number;
  /** The most of these octets that one network or account may hold; default 64 MiB. */
  readonly maxHeldBytesOfOne?: number;
  /** Counts an account's clients, up to its limit. */
  readonly accounts?: { readonly maxClients: number; of(identity: Identity): string };
  readonly log: Log;
  /** Authenticates, over TLS only. Without it no login is needed. */
  authenticate?(login: SmtpLogin): Promise<SmtpAdmission<Identity>>;
  onSender?(envelope: { reversePath: string }, identity: Identity): Promise<SmtpAnswer | null>;
  /**
   * Without logins: whether this recipient shows that the client is legitimate, because strangers do not know
   * the address. Default: every recipient.
   */
  provesItself?(forwardPath: string): boolean;
  onRecipient(envelope: SmtpEnvelope, identity: Identity): Promise<SmtpAnswer | null>;
  /** Judges a message. A throw is our fault: logged and answered 451, so that the peer retries. */
  onMail(mail: IncomingMail, identity: Identity): Promise<SmtpAnswer>;
}

export interface SmtpEnvelope {
  readonly reversePath: string;
  readonly forwardPath: string;
  readonly recipients: number;
  /** As the client declared it (RFC 1870 §6), else 0. */
  readonly sizeBytes: number;
  /** The client said that addresses may be UTF-8. RFC 6531 §3.4 */
  readonly smtpUtf8: boolean;
}

export interface SmtpLogin {
  readonly user: string;
  readonly password: string;
  readonly clientAddress: string;
}

export type SmtpAdmission<Identity> = { readonly identity: Identity } | { readonly refused: SmtpAnswer };

export interface SmtpCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface SmtpAnswer {
  readonly code: number;
  /** Begins with the enhanced status code (RFC 3463 §2). */
  readonly text: string;
}

export interface IncomingMail {
  readonly reversePath: string;
  readonly forwardPaths: readonly string[];
  /** As sent, unstuffed, with CRLF line ends. */
  readonly raw: Buffer;
  readonly clientName: string;
  readonly clientAddress: string;
  readonly tls: { version: string; cipher: string } | null;
}

import type { Log } from '../logger.ts';
import type { SmtpTimeouts } from './smtp-timeouts.ts';

/** What our SMTP listeners are told and asked, in our words. */
export interface SmtpListenerOptions<Identity = null> {
  readonly name: string;
  /** Host name for the greeting. */
  readonly hostname: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Offers STARTTLS when given; PEM. */
  readonly certificate?: SmtpCertificate;
  /** TLS from the first byte (RFC 8314 §3.3) in place of STARTTLS; needs a certificate. */
  readonly implicitTls?: boolean;
  /** Oldest protocol version taken; the library's own choice without it. */
  readonly minTlsVersion?: 'TLSv1.2' | 'TLSv1.3';
  readonly maxMessageBytes: number;
  /**
   * What an LF without CR in a message is; `refused` without it. `ends`: the end of a line, for clients that
   * we know; the end of the data is CRLF.CRLF all the same.
   */
  readonly bareLineFeeds?: 'refused' | 'ends';
  readonly maxRecipients: number;
  /** Connections at once; they are shared fairly. */
  readonly maxClients: number;
  readonly timeouts?: Partial<SmtpTimeouts>;
  /**
   * Octets of messages that one network, and one account, may have us hold at once; a quarter of all without
   * it.
   */
  readonly maxHeldBytesOfOne?: number;
  /** What one account's clients are counted by, with the most that it may have at once. */
  readonly accounts?: { readonly maxClients: number; of(identity: Identity): string };
  readonly log: Log;
  /** Lets in who says who they are, over TLS only; nobody else may send then. Without it nobody is asked. */
  authenticate?(login: SmtpLogin): Promise<SmtpAdmission<Identity>>;
  /** Judges a sender, the begin of a message; null takes it. */
  onSender?(envelope: { reversePath: string }, identity: Identity): Promise<SmtpAnswer | null>;
  /**
   * Where nobody logs in: whether a recipient that was taken shows that the client has a reason to be here,
   * because strangers do not know it. Without it each does.
   */
  provesItself?(forwardPath: string): boolean;
  /** Judges a recipient; null takes it. */
  onRecipient(envelope: SmtpEnvelope, identity: Identity): Promise<SmtpAnswer | null>;
  /**
   * Judges a whole message. A throw is a fault of ours: logged, answered 451 so that the peer tries again.
   */
  onMail(mail: IncomingMail, identity: Identity): Promise<SmtpAnswer>;
}

export interface SmtpEnvelope {
  readonly reversePath: string;
  readonly forwardPath: string;
  /** Recipients of this message so far, this one left out. */
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
  /** As sent, dots unstuffed, every line ended by CRLF. */
  readonly raw: Buffer;
  readonly clientName: string;
  readonly clientAddress: string;
  readonly tls: { version: string; cipher: string } | null;
}

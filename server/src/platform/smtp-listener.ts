import { TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Log } from './log.ts';
import { networkOf } from './network.ts';

/**
 * An SMTP server as our listeners need it: what comes in is one `IncomingMail`, what goes out is an `SmtpAnswer`.
 * Hardened alike for all of them: the end of data is CRLF.CRLF alone, a message with a bare CR or LF is refused (RFC 5321 §2.3.8,
 * CVE-2023-51764 and its kind), sizes, clients, recipients and idle time are bounded, nothing is looked up in DNS.
 */
export interface SmtpListenerOptions {
  readonly name: string;
  /** Host name for the greeting. */
  readonly hostname: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Offers STARTTLS when given; PEM. */
  readonly certificate?: SmtpCertificate;
  readonly maxMessageBytes: number;
  readonly maxRecipients: number;
  readonly maxClients: number;
  /** Clients of one network (an IPv4 address, an IPv6 /64) at once. */
  readonly maxClientsPerNetwork?: number;
  readonly log: Log;
  /** Judges a recipient; null takes it. */
  onRecipient(envelope: { reversePath: string; forwardPath: string }): Promise<SmtpAnswer | null>;
  /** Judges a whole message. A throw is a fault of ours: logged, answered 451 so that the peer tries again. */
  onMail(mail: IncomingMail): Promise<SmtpAnswer>;
}

export interface SmtpCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface SmtpAnswer {
  readonly code: number;
  /** Begins with the enhanced status code (RFC 3463). */
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

export interface SmtpListener {
  /** Resolves with the port once it listens. */
  start(): Promise<number>;
  /** Refuses new clients, lets those at work end within `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

/** RFC 5321 §4.5.3.2.7: a server waits at least five minutes for the next command. */
const IDLE_MS = 300_000;
const CLOSE_GRACE_MS = 2_000;
/** Octets in one command line; RFC 5321 §4.5.3.1.4 asks for 512, extensions add to it. */
const MAX_COMMAND_BYTES = 4_096;

/** Recipients refused in one session before it is ended: nobody guesses addresses for long. */
const MAX_REFUSED_RECIPIENTS = 20;

const CR = 0x0d;
const LF = 0x0a;

const LOCAL_FAULT: SmtpAnswer = { code: 451, text: '4.3.0 Local error, try again later' };
const BARE_LINE_END: SmtpAnswer = { code: 550, text: '5.5.2 Refused: bare CR or LF in the message' };
const TOO_MANY_CLIENTS: SmtpAnswer = { code: 421, text: '4.7.0 Too many connections from your network' };
const TOO_MANY_REFUSED: SmtpAnswer = { code: 421, text: '4.7.0 Too many refused recipients' };
const TOO_LARGE: SmtpAnswer = { code: 552, text: '5.3.4 Refused: the message is too large' };

export function createSmtpListener(options: SmtpListenerOptions): SmtpListener {
  const { log, certificate } = options;
  /** Clients of each network now, and the sessions that count in it: one may close before it was ever counted. */
  const networks = new Map<string, number>();
  const counted = new WeakSet<SMTPServerSession>();
  const refused = new WeakMap<SMTPServerSession, number>();
  /** The library keeps a session's cipher, not its protocol version. */
  const tlsVersions = new WeakMap<SMTPServerSession, string>();
  const server = new SMTPServer({
    name: options.hostname,
    // Without it the library writes "ESMTP" alone, and its own codes would stand before ours.
    hideENHANCEDSTATUSCODES: true,
    disabledCommands: certificate === undefined ? ['AUTH', 'STARTTLS'] : ['AUTH'],
    authOptional: true,
    ...(certificate === undefined ? {} : { cert: certificate.certPem, key: certificate.keyPem }),
    size: options.maxMessageBytes,
    maxClients: options.maxClients,
    maxRecipients: options.maxRecipients,
    maxCommandLength: MAX_COMMAND_BYTES,
    socketTimeout: IDLE_MS,
    closeTimeout: CLOSE_GRACE_MS,
    disableReverseLookup: true,
    lenientAddressParsing: true,
    logger: false,
    onConnect(session, callback) {
      const network = networkOf(session.remoteAddress);
      const count = (networks.get(network) ?? 0) + 1;
      networks.set(network, count);
      counted.add(session);
      if (count > (options.maxClientsPerNetwork ?? Number.POSITIVE_INFINITY))
        callback(refusal(TOO_MANY_CLIENTS));
      else callback();
    },
    onClose(session) {
      if (!counted.delete(session)) return;
      const network = networkOf(session.remoteAddress);
      const count = (networks.get(network) ?? 1) - 1;
      if (count <= 0) networks.delete(network);
      else networks.set(network, count);
    },
    onSecure(socket, session, callback) {
      tlsVersions.set(session, socket instanceof TLSSocket ? (socket.getProtocol() ?? '') : '');
      callback();
    },
    onRcptTo(address, session, callback) {
      const reversePath = reversePathOf(session);
      answer(
        () => options.onRecipient({ reversePath, forwardPath: address.address }),
        (reply) => {
          if (reply === null) return callback(null);
          const count = (refused.get(session) ?? 0) + 1;
          refused.set(session, count);
          callback(refusal(count > MAX_REFUSED_RECIPIENTS ? TOO_MANY_REFUSED : reply));
        },
      );
    },
    onData(stream, session, callback) {
      answer(
        () => receive(stream, session, options, tlsVersions.get(session) ?? ''),
        (reply) => {
          if (reply === null || reply.code < 400) callback(null, reply?.text ?? '2.0.0 OK');
          else callback(refusal(reply));
        },
      );
    },
  });
  // Clients that go away, fail TLS or talk nonsense are no fault of ours.
  server.on('error', (error) => log.debug({ err: error, listener: options.name }, 'SMTP connection failed'));

  function answer(judge: () => Promise<SmtpAnswer | null>, done: (reply: SmtpAnswer | null) => void): void {
    judge().then(done, (error) => {
      log.error({ err: error, listener: options.name }, 'SMTP command failed; answered 451');
      done(LOCAL_FAULT);
    });
  }

  return {
    start: () => listen(server, options.host, options.port),
    stop: (graceMs = CLOSE_GRACE_MS) => {
      server.options.closeTimeout = graceMs;
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function listen(server: SMTPServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, host, () => {
      server.server.off('error', reject);
      const address = server.server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}

function refusal(reply: SmtpAnswer): Error & { responseCode: number } {
  return Object.assign(new Error(reply.text), { responseCode: reply.code });
}

function reversePathOf(session: SMTPServerSession): string {
  const { mailFrom } = session.envelope;
  return mailFrom === false ? '' : mailFrom.address;
}

async function receive(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  options: SmtpListenerOptions,
  tlsVersion: string,
): Promise<SmtpAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let bare = false;
  let previous = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read to its end in any case: the answer belongs behind the final dot.
    if (size > options.maxMessageBytes) chunks.length = 0;
    else chunks.push(chunk);
    bare ||= hasBareLineEnd(chunk, previous);
    previous = chunk.at(-1) ?? previous;
  }
  if (size > options.maxMessageBytes) return TOO_LARGE;
  if (bare || previous === CR) return BARE_LINE_END;
  return options.onMail({
    reversePath: reversePathOf(session),
    forwardPaths: session.envelope.rcptTo.map((recipient) => recipient.address),
    raw: Buffer.concat(chunks, size),
    clientName: session.hostNameAppearsAs || '',
    clientAddress: session.remoteAddress,
    tls:
      session.secure && session.tlsOptions !== false
        ? { version: tlsVersion, cipher: session.tlsOptions.standardName ?? session.tlsOptions.name }
        : null,
  });
}

/** True if the chunk, behind a chunk that ended in `previous`, has a CR not followed by LF or an LF not preceded by CR. */
function hasBareLineEnd(chunk: Uint8Array, previous: number): boolean {
  if (previous === CR && chunk.length > 0 && chunk[0] !== LF) return true;
  for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) {
    if ((at === 0 ? previous : chunk[at - 1]) !== CR) return true;
  }
  for (let at = chunk.indexOf(CR); at !== -1 && at + 1 < chunk.length; at = chunk.indexOf(CR, at + 1)) {
    if (chunk[at + 1] !== LF) return true;
  }
  return false;
}

import { TLSSocket } from 'node:tls';
import type {
  SMTPServer,
  SMTPServerAuthentication,
  SMTPServerDataStream,
  SMTPServerSession,
} from 'smtp-server';
import type { Log } from '../log.ts';
import { createClientCount, createTally } from './smtp-clients.ts';
import { createReceiver } from './smtp-receive.ts';
import { EnhancedSmtpServer } from './smtp-server.ts';
import { incoming, refusal, reversePathOf, tooManyRecipients, unknownParameter } from './smtp-session.ts';

/**
 * An SMTP server as our listeners need it: what comes in is one `IncomingMail`, what goes out is an `SmtpAnswer`.
 * Hardened alike for all of them: the end of data is CRLF.CRLF alone, a message with a bare CR or LF is refused (RFC 5321 §2.3.8,
 * CVE-2023-51764 and its kind), sizes, memory, clients, recipients and times are bounded, nothing is looked up in DNS.
 */
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
  readonly maxRecipients: number;
  readonly maxClients: number;
  /** Clients of one network (an IPv4 address, an IPv6 /64) at once. */
  readonly maxClientsPerNetwork?: number;
  readonly timeouts?: Partial<SmtpTimeouts>;
  readonly log: Log;
  /** Lets in who says who they are, over TLS only; nobody else may send then. Without it nobody is asked. */
  authenticate?(login: SmtpLogin): Promise<SmtpAdmission<Identity>>;
  /** Judges a sender, the begin of a message; null takes it. */
  onSender?(envelope: { reversePath: string }, identity: Identity): Promise<SmtpAnswer | null>;
  /** Judges a recipient; null takes it. */
  onRecipient(envelope: SmtpEnvelope, identity: Identity): Promise<SmtpAnswer | null>;
  /** Judges a whole message. A throw is a fault of ours: logged, answered 451 so that the peer tries again. */
  onMail(mail: IncomingMail, identity: Identity): Promise<SmtpAnswer>;
}

/** Milliseconds. */
export interface SmtpTimeouts {
  /** Between two commands, or two parts of a message. */
  readonly idle: number;
  /** For a whole message to come in. */
  readonly data: number;
}

export interface SmtpEnvelope {
  readonly reversePath: string;
  readonly forwardPath: string;
  /** The client said that addresses may be UTF-8. RFC 6531 */
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
  /** Has new sessions use another certificate. Throws when it is none. */
  renew(certificate: SmtpCertificate): void;
  /** Refuses new clients, lets those at work end within `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

/** RFC 5321 §4.5.3.2.7: a server waits at least five minutes for the next command. */
const IDLE_MS = 300_000;
/** A message of 25 MiB comes within half an hour over 128 kbit/s; who is slower holds a place that others need. */
const MAX_DATA_MS = 1_800_000;
const CLOSE_GRACE_MS = 2_000;
/** Octets in one command line; RFC 5321 §4.5.3.1.4 asks for 512, extensions add to it. */
const MAX_COMMAND_BYTES = 4_096;
/** Octets of messages being received or judged at once, in one listener. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

/** Recipients refused in one session before it is ended: nobody guesses addresses for long. */
const MAX_REFUSED_RECIPIENTS = 20;
/** Logins refused in one session before it is ended. RFC 4954 §4 leaves the number to us. */
const MAX_REFUSED_LOGINS = 3;

/** Of the extensions that are offered: RFC 1870, RFC 6152, RFC 6531; RFC 4954 §5. */
const MAIL_PARAMETERS = ['SIZE', 'BODY', 'SMTPUTF8', 'AUTH'];
const RCPT_PARAMETERS: readonly string[] = [];

/** Old sendmail's back doors, which the library plays along with. */
const POINTLESS_COMMANDS = ['WIZ', 'SHELL', 'KILL'];

const LOCAL_FAULT: SmtpAnswer = { code: 451, text: '4.3.0 Local error, try again later' };
const LOGIN_FAULT: SmtpAnswer = { code: 454, text: '4.7.0 Temporary authentication failure' };
const LOGIN_REQUIRED = '5.7.0 Authentication required';
const TOO_MANY_CLIENTS: SmtpAnswer = { code: 421, text: '4.7.0 Too many connections from your network' };
const TOO_MANY_REFUSED: SmtpAnswer = { code: 421, text: '4.7.0 Too many refused recipients' };
const TOO_MANY_LOGINS: SmtpAnswer = { code: 421, text: '4.7.0 Too many failed authentications' };
const TOO_SLOW = '4.4.2 The message took too long';

export function createSmtpListener<Identity = null>(options: SmtpListenerOptions<Identity>): SmtpListener {
  const { log, certificate, authenticate } = options;
  const timeouts = { idle: IDLE_MS, data: MAX_DATA_MS, ...options.timeouts };
  const clients = createClientCount(options.maxClientsPerNetwork ?? Number.POSITIVE_INFINITY);
  const refusedRecipients = createTally();
  const refusedLogins = createTally();
  const receiver = createReceiver({
    maxMessageBytes: options.maxMessageBytes,
    maxHeldBytes: MAX_HELD_BYTES,
    maxMs: timeouts.data,
  });
  /** The library keeps a session's cipher, not its protocol version. */
  const tlsVersions = new WeakMap<SMTPServerSession, string>();
  const server = new EnhancedSmtpServer({
    name: options.hostname,
    hideENHANCEDSTATUSCODES: false,
    heloResponse: '%s',
    disabledCommands: [
      ...POINTLESS_COMMANDS,
      ...(authenticate === undefined ? ['AUTH'] : []),
      ...(certificate === undefined ? ['STARTTLS'] : []),
    ],
    authOptional: authenticate === undefined,
    authMethods: ['PLAIN', 'LOGIN'],
    authRequiredMessage: LOGIN_REQUIRED,
    secure: options.implicitTls === true,
    ...(certificate === undefined ? {} : { cert: certificate.certPem, key: certificate.keyPem }),
    ...(options.minTlsVersion === undefined ? {} : { minVersion: options.minTlsVersion }),
    size: options.maxMessageBytes,
    maxClients: options.maxClients,
    maxCommandLength: MAX_COMMAND_BYTES,
    socketTimeout: timeouts.idle,
    closeTimeout: CLOSE_GRACE_MS,
    disableReverseLookup: true,
    lenientAddressParsing: true,
    logger: false,
    onConnect(session, callback) {
      if (clients.add(session)) callback();
      else callback(refusal(TOO_MANY_CLIENTS));
    },
    onClose: clients.remove,
    onSecure(socket, session, callback) {
      tlsVersions.set(session, socket instanceof TLSSocket ? (socket.getProtocol() ?? '') : '');
      callback();
    },
    onAuth(login, session, callback) {
      answer(
        () => admit(login, session),
        LOGIN_FAULT,
        (reply) => {
          if (reply === null) callback(null, { user: session.user });
          else callback(refusal(refusedLogins(session) >= MAX_REFUSED_LOGINS ? TOO_MANY_LOGINS : reply));
        },
      );
    },
    onMailFrom({ address, args }, session, callback) {
      const judge = async () =>
        unknownParameter(args, MAIL_PARAMETERS) ??
        (await options.onSender?.({ reversePath: address }, identityOf(session))) ??
        null;
      answer(judge, LOCAL_FAULT, (reply) => callback(reply === null ? null : refusal(reply)));
    },
    onRcptTo({ address, args }, session, callback) {
      answer(
        async () => unknownParameter(args, RCPT_PARAMETERS) ?? judgeRecipient(address, session),
        LOCAL_FAULT,
        (reply) => {
          if (reply === null) callback(null);
          else if (refusedRecipients(session) > MAX_REFUSED_RECIPIENTS) callback(refusal(TOO_MANY_REFUSED));
          else callback(refusal(reply));
        },
      );
    },
    onData(stream, session, callback) {
      answer(
        () => takeMail(stream, session),
        LOCAL_FAULT,
        (reply) => {
          if (reply === null || reply.code < 400) callback(null, reply?.text ?? '2.0.0 OK');
          else callback(refusal(reply));
        },
      );
    },
  });
  // Clients that go away, fail TLS or talk nonsense are no fault of ours.
  server.on('error', (error) => log.debug({ err: error, listener: options.name }, 'SMTP connection failed'));

  function answer(
    judge: () => Promise<SmtpAnswer | null>,
    fault: SmtpAnswer,
    done: (reply: SmtpAnswer | null) => void,
  ): void {
    judge().then(done, (error) => {
      log.error({ err: error, listener: options.name }, `SMTP command failed; answered ${fault.code}`);
      done(fault);
    });
  }

  /** What `authenticate` made of the session; null where nobody is asked. */
  function identityOf(session: SMTPServerSession): Identity {
    return (session.user ?? null) as Identity;
  }

  async function admit(
    login: SMTPServerAuthentication,
    session: SMTPServerSession,
  ): Promise<SmtpAnswer | null> {
    const admission = await authenticate!({
      user: login.username ?? '',
      password: login.password ?? '',
      clientAddress: session.remoteAddress,
    });
    if ('refused' in admission) return admission.refused;
    session.user = admission.identity;
    return null;
  }

  async function judgeRecipient(forwardPath: string, session: SMTPServerSession): Promise<SmtpAnswer | null> {
    const { rcptTo, smtpUtf8 } = session.envelope;
    // The same one again takes its own place.
    const isNew = !rcptTo.some(({ address }) => address.toLowerCase() === forwardPath.toLowerCase());
    if (isNew && rcptTo.length >= options.maxRecipients) return tooManyRecipients(options.maxRecipients);
    const reversePath = reversePathOf(session);
    return options.onRecipient(
      { reversePath, forwardPath, smtpUtf8: smtpUtf8 === true },
      identityOf(session),
    );
  }

  async function takeMail(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<SmtpAnswer> {
    const received = await receiver.receive(stream, () => server.end(session, TOO_SLOW));
    if (received.kind === 'refused') return received.answer;
    try {
      const mail = incoming(session, received.raw, tlsVersions.get(session) ?? '');
      return await options.onMail(mail, identityOf(session));
    } finally {
      received.release();
    }
  }

  return {
    start: () => listen(server, options.host, options.port),
    renew: ({ certPem, keyPem }) => server.updateSecureContext({ cert: certPem, key: keyPem }),
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

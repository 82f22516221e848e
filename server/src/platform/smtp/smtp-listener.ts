import type { SMTPServer, SMTPServerOptions } from 'smtp-server';
import { createSmtpJudge, type SmtpJudge } from './smtp-judge.ts';
import { EnhancedSmtpServer } from './smtp-server.ts';
import { refusal, unknownParameter } from './smtp-session.ts';
import type { SmtpAnswer, SmtpCertificate, SmtpListenerOptions } from './smtp-types.ts';

export interface SmtpListener {
  heldBytes(): number;
  start(): Promise<number>;
  /** Uses another certificate for new sessions. Throws if invalid. */
  renew(certificate: SmtpCertificate): void;
  /** Refuses new clients and lets current ones end within `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

const CLOSE_GRACE_MS = 2_000;
/** Octets in one command line; RFC 5321 §4.5.3.1.4 asks for 512, extensions add to it. */
const MAX_COMMAND_BYTES = 4_096;

/** Parameters of the offered extensions: RFC 1870 §3, RFC 6152 §2, RFC 6531 §3.1; RFC 4954 §5. */
const MAIL_PARAMETERS = ['SIZE', 'BODY', 'SMTPUTF8', 'AUTH'];
const RCPT_PARAMETERS: readonly string[] = [];

/** Obsolete sendmail commands that the library answers. */
const POINTLESS_COMMANDS = ['WIZ', 'SHELL', 'KILL'];

const LOCAL_FAULT: SmtpAnswer = { code: 451, text: '4.3.0 Local error, try again later' };
const LOGIN_FAULT: SmtpAnswer = { code: 454, text: '4.7.0 Temporary authentication failure' };
const LOGIN_REQUIRED = '5.7.0 Authentication required';

/**
 * An SMTP server for all our listeners: `IncomingMail` in, `SmtpAnswer` out. The end of data is CRLF.CRLF
 * only; a bare CR is refused, and a bare LF unless the client is known (RFC 5321 §2.3.8, CVE-2023-51764 and
 * similar). Sizes, memory, clients, recipients and times are bounded; nothing is looked up in DNS.
 */
export function createSmtpListener<Identity = null>(options: SmtpListenerOptions<Identity>): SmtpListener {
  const { log } = options;
  const judge = createSmtpJudge(options, {
    end: (session, text) => server.end(session, text),
    prove: (session, holders) => server.prove(session, holders),
  });
  const server = new EnhancedSmtpServer(
    { ...libraryOptions(options, judge.timeouts.idle), ...handlers(options, judge) },
    {
      maxSockets: options.maxClients,
      handshakeMs: judge.timeouts.handshake,
      onSession: judge.opened,
      isAtWork: judge.isAtWork,
    },
  );
  // Clients that disconnect, fail TLS or break the protocol are not our faults.
  server.on('error', (error) => log.debug({ err: error, listener: options.name }, 'SMTP connection failed'));
  return {
    heldBytes: judge.heldBytes,
    start: () => listen(server, options.host, options.port),
    renew: ({ certPem, keyPem }) => server.updateSecureContext({ cert: certPem, key: keyPem }),
    stop: (graceMs = CLOSE_GRACE_MS) => {
      server.options.closeTimeout = graceMs;
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function libraryOptions<Identity>(
  { certificate, ...options }: SmtpListenerOptions<Identity>,
  idleMs: number,
): SMTPServerOptions {
  const isOpen = options.authenticate === undefined;
  return {
    name: options.hostname,
    hideENHANCEDSTATUSCODES: false,
    heloResponse: '%s',
    disabledCommands: [
      ...POINTLESS_COMMANDS,
      ...(isOpen ? ['AUTH'] : []),
      ...(certificate === undefined ? ['STARTTLS'] : []),
    ],
    authOptional: isOpen,
    authMethods: ['PLAIN', 'LOGIN'],
    authRequiredMessage: LOGIN_REQUIRED,
    secure: options.implicitTls === true,
    ...(certificate === undefined ? {} : { cert: certificate.certPem, key: certificate.keyPem }),
    ...(options.minTlsVersion === undefined ? {} : { minVersion: options.minTlsVersion }),
    size: options.maxMessageBytes,
    maxCommandLength: MAX_COMMAND_BYTES,
    socketTimeout: idleMs,
    closeTimeout: CLOSE_GRACE_MS,
    disableReverseLookup: true,
    lenientAddressParsing: true,
    logger: false,
  };
}

function handlers<Identity>(
  { name, log }: SmtpListenerOptions<Identity>,
  judge: SmtpJudge,
): SMTPServerOptions {
  function answer(
    judged: () => Promise<SmtpAnswer | null>,
    fault: SmtpAnswer,
    done: (reply: SmtpAnswer | null) => void,
  ): void {
    judged().then(done, (error) => {
      log.error({ err: error, listener: name }, `SMTP command failed; answered ${fault.code}`);
      done(fault);
    });
  }
  return {
    onClose: judge.closed,
    onSecure(socket, session, callback) {
      judge.secured(session, socket);
      callback();
    },
    onAuth(login, session, callback) {
      answer(
        () => judge.login(login, session),
        LOGIN_FAULT,
        (reply) => callback(reply === null ? null : refusal(reply), { user: session.user }),
      );
    },
    onMailFrom({ address, args }, session, callback) {
      answer(
        async () => unknownParameter(args, MAIL_PARAMETERS) ?? judge.sender(address, session),
        LOCAL_FAULT,
        (reply) => callback(reply === null ? null : refusal(reply)),
      );
    },
    onRcptTo({ address, args }, session, callback) {
      answer(
        async () => unknownParameter(args, RCPT_PARAMETERS) ?? judge.recipient(address, session),
        LOCAL_FAULT,
        (reply) => callback(reply === null ? null : refusal(judge.refusedRecipient(reply, session))),
      );
    },
    onData(stream, session, callback) {
      answer(
        () => judge.data(stream, session),
        LOCAL_FAULT,
        (reply) => {
          if (reply === null || reply.code < 400) callback(null, reply?.text ?? '2.0.0 OK');
          else callback(refusal(reply));
        },
      );
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

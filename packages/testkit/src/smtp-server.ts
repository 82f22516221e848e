import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { TestCertificate } from './certificate.ts';

/** The mail that a server written by others took in. */
export interface ReceivedMail {
  readonly mailFrom: string;
  readonly rcptTo: readonly string[];
  readonly raw: Buffer;
  readonly secure: boolean;
  readonly user: string | null;
}

export interface RealSmtpServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  close(): Promise<void>;
}

/**
 * Runs the npm package smtp-server on a free loopback port: STARTTLS with the certificate, AUTH with `pass`
 * if given.
 */
export async function startSmtpServer(
  certificate: TestCertificate,
  options: SMTPServerOptions = {},
  pass?: string,
): Promise<RealSmtpServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    key: certificate.keyPem,
    cert: certificate.certPem,
    authOptional: pass === undefined,
    logger: false,
    onAuth(auth, _session, done) {
      if (auth.password === pass) done(null, { user: String(auth.username) });
      else done(new Error('wrong password'));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          mailFrom: mailFrom === false || mailFrom === undefined ? '' : mailFrom.address,
          rcptTo: rcptTo.map((rcpt) => rcpt.address),
          raw: Buffer.concat(chunks),
          secure: session.secure,
          user: session.user ? String(session.user) : null,
        });
        done(null, 'queued');
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

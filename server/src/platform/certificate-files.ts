import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { every } from './every.ts';
import type { Log } from './logger.ts';
import type { SmtpCertificate } from './smtp/smtp-types.ts';

/** Certificate and key in PEM files, which a renewal replaces while we run. */
interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** How often the files are checked for changes (ms). */
const LOOK_EVERY_MS = 60_000;

export function readCertificate({ certFile, keyFile }: CertificateFiles): SmtpCertificate {
  const certPem = read(certFile, 'ACUSE_TLS_CERT_FILE');
  const keyPem = read(keyFile, 'ACUSE_TLS_KEY_FILE');
  try {
    createSecureContext({ cert: certPem, key: keyPem });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${certFile} and ${keyFile} are not a matching PEM certificate and key: ${why}`, {
      cause,
    });
  }
  return { certPem, keyPem };
}

function read(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const isDenied = (cause as NodeJS.ErrnoException).code === 'EACCES';
    const who = isDenied ? ` by this user (uid ${process.getuid?.()})` : '';
    throw new Error(`${variable}: cannot be read${who}: ${why}`, { cause });
  }
}

export interface ServedCertificate {
  readonly current: SmtpCertificate;
  onChange(renew: (certificate: SmtpCertificate) => void): void;
  close(): void;
}

export function fixedCertificate(certificate: SmtpCertificate): ServedCertificate {
  return { current: certificate, onChange() {}, close() {} };
}

/**
 * Watches the files. Invalid new files are reported and the previous certificate stays in use. Throws as
 * readCertificate.
 */
export function watchedCertificate(
  files: CertificateFiles,
  { log, everyMs = LOOK_EVERY_MS }: { log: Log; everyMs?: number },
): ServedCertificate {
  let current = readCertificate(files);
  const heirs: ((certificate: SmtpCertificate) => void)[] = [];
  function look(): void {
    const found = readCertificate(files);
    if (found.certPem === current.certPem && found.keyPem === current.keyPem) return;
    current = found;
    for (const renew of heirs) renew(found);
    const { subject, validTo } = new X509Certificate(found.certPem);
    log.info({ subject, validTo }, 'a new TLS certificate is in use');
  }
  const looks = every(everyMs, look, {
    onError: (error) =>
      log.error(
        { err: error },
        'the TLS certificate files are not valid; the previous certificate stays in use',
      ),
  });
  looks.start();
  return {
    get current() {
      return current;
    },
    onChange: (renew) => void heirs.push(renew),
    close: () => void looks.stop(),
  };
}

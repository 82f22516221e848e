import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { every } from './every.ts';
import type { Log } from './logger.ts';
import type { SmtpCertificate } from './smtp/smtp-types.ts';

/**
 * A certificate and its key in PEM files, which are replaced while we run when the certificate is renewed.
 */
export interface CertificateFiles {
  /** The certificate, and what chains it to its root. */
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * How often the files are looked at (ms): far below the days for which both an old and a new certificate
 * hold.
 */
const LOOK_EVERY_MS = 60_000;

/** Reads both files. Throws an Error that says which file is wrong, and how. */
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

/** What listeners serve: changes when the files do. */
export interface ServedCertificate {
  readonly current: SmtpCertificate;
  /** Calls back with each certificate that takes the place of the one before. */
  onChange(renew: (certificate: SmtpCertificate) => void): void;
  close(): void;
}

/** A certificate that is good as long as the process runs. */
export function fixedCertificate(certificate: SmtpCertificate): ServedCertificate {
  return { current: certificate, onChange() {}, close() {} };
}

/**
 * Watches the files. New files that are not valid are reported, and the previous certificate stays in use.
 * Throws as readCertificate.
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

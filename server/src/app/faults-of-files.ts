import type { Config } from '../config/config-type.ts';
import { openWitnesses } from '../evidence/log/witnesses.ts';
import { openAuthorities, type SecretOf } from '../evidence/stamp/open-authorities.ts';
import { readCertificate } from '../platform/certificate-files.ts';

/**
 * Faults of files that the configuration names, reported with all other faults before a first start makes a
 * data folder.
 */
export function faultsOfFiles(config: Config, secretOf: SecretOf): string[] {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile, delivery, authorities, witnessesFile } = config;
  return [
    ...(authorities ?? []).map((path) =>
      faultOf('ACUSE_TSA_MANIFESTS', () => openAuthorities([path], secretOf)),
    ),
    faultOf('ACUSE_WITNESSES', () => openWitnesses(witnessesFile)),
    certFile === null || keyFile === null || delivery === 'sandbox'
      ? null
      : faultOf('ACUSE_TLS_CERT_FILE', () => readCertificate({ certFile, keyFile })),
  ].filter((fault) => fault !== null);
}

function faultOf(variable: string, read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    const { message } = error as Error;
    return message.startsWith('ACUSE_') ? message : `${variable}: ${message}`;
  }
}

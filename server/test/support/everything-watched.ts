import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate } from '@acuse/testkit/certificate';
import { formatWitnessKey, readWitnessKey } from '../../src/evidence/witness/key.ts';

/**
 * Settings whose state has metrics: a certificate for a day, an empty folder for backups, and a witness that
 * does not answer.
 */
export function everythingWatched(folder: string): Readonly<Record<string, string>> {
  const { certPem, keyPem } = issueCertificate({ subject: 'sandbox.test', names: ['sandbox.test'] });
  const path = (name: string) => join(folder, name);
  writeFileSync(path('cert.pem'), certPem);
  writeFileSync(path('key.pem'), keyPem);
  mkdirSync(path('backups'));
  const { vkey } = readWitnessKey(formatWitnessKey('witness.example/w1', randomBytes(32)));
  const witnesses = [{ url: 'http://127.0.0.1:9', vkey }];
  writeFileSync(path('witnesses.json'), JSON.stringify({ quorum: 0, witnesses }));
  return {
    ACUSE_TLS_CERT_FILE: path('cert.pem'),
    ACUSE_TLS_KEY_FILE: path('key.pem'),
    ACUSE_BACKUP_FOLDER: path('backups'),
    ACUSE_WITNESSES: path('witnesses.json'),
  };
}

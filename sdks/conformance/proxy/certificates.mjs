import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Days that the certificates of a run are good for. */
const DAYS = '2';

/** An authority of this run's own, and certificates by it: good, for another name, expired, by a stranger. */
export function makeCertificates(folder) {
  const path = (name) => join(folder, name);
  const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const authority = (name) =>
    openssl(
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', DAYS],
      ...['-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', `/CN=${name}`],
      ...['-addext', 'keyUsage=critical,keyCertSign,cRLSign'],
    );
  const issue = (name, by, names, days = DAYS) => {
    writeFileSync(path(`${name}.ext`), `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n`);
    openssl(
      ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`],
    );
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'],
      ...['-days', days, '-out', `${name}.pem`, '-extfile', `${name}.ext`],
    );
    return { key: readFileSync(path(`${name}.key`)), cert: readFileSync(path(`${name}.pem`)) };
  };
  authority('authority');
  authority('stranger');
  const here = 'DNS:localhost,IP:127.0.0.1';
  return {
    caFile: path('authority.pem'),
    good: issue('good', 'authority', here),
    otherName: issue('other-name', 'authority', 'DNS:other.test'),
    expired: issue('expired', 'authority', here, '-1'),
    byStranger: issue('by-stranger', 'stranger', here),
  };
}

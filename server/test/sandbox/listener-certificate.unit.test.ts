import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { checkServerIdentity, connect, createServer, type TLSSocket } from 'node:tls';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { createDevelopmentAuthority } from '@acuse/tsa/development';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeMailboxCertificate } from '../../src/sandbox/mailbox-certificate.ts';

const now = new Date();
const { root } = createDevelopmentAuthority({ now, random: randomBytes });
const ca = certificateToPem(root.der);
const folder = tempFolder();

beforeAll(() => {
  writeFileSync(join(folder, 'ca.pem'), ca);
});

describe('the certificate of a listener of the sandbox', () => {
  // Twice: one start, and the next under the same root.
  const certificates = [1, 2].map(() => makeMailboxCertificate(root, 'mail.example.com', now));

  test.each(['localhost', '127.0.0.1', '::1', 'mail.example.com'])(
    'verifies against ca_file as %s',
    async (name) => {
      for (const { certPem, keyPem } of certificates) {
        const server = createServer({ cert: certPem, key: keyPem });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const { port } = server.address() as AddressInfo;
        // Throws when it is not trusted or has another name.
        const socket = await new Promise<TLSSocket>((resolve, reject) => {
          const made = connect({
            host: '127.0.0.1',
            port,
            ca,
            checkServerIdentity: (_, peer) => checkServerIdentity(name, peer),
          });
          made.once('secureConnect', () => resolve(made));
          made.once('error', reject);
        });
        expect(socket.authorized).toBe(true);
        socket.destroy();
        server.close();
      }
    },
  );

  test('is good for a TLS server by the strict rules of OpenSSL, and not under another root', () => {
    writeFileSync(join(folder, 'leaf.pem'), certificates[0]!.certPem);
    const other = createDevelopmentAuthority({ now, random: randomBytes }).root;
    writeFileSync(join(folder, 'other.pem'), certificateToPem(other.der));
    const verify = (file: string, ...more: string[]) =>
      spawnSync('openssl', [
        'verify',
        ...['-x509_strict', '-purpose', 'sslserver', '-CAfile', join(folder, file), ...more],
        join(folder, 'leaf.pem'),
      ]).status;
    expect(verify('ca.pem', '-verify_hostname', 'localhost')).toBe(0);
    expect(verify('ca.pem', '-verify_ip', '::1')).toBe(0);
    expect(verify('ca.pem', '-verify_hostname', 'example.net')).not.toBe(0);
    expect(verify('other.pem')).not.toBe(0);
  });
});

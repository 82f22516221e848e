import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate } from './certificate.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { tempFolder } from './temp-folder.ts';

/** Let's Encrypt's own test server for ACME, which looks at challenges by HTTP as the real one does. */
export interface Pebble {
  readonly directory: string;
  /** CA of its own directory URL: PEM, and the path of its file. */
  readonly ca: string;
  readonly caFile: string;
  /** Its port 80. */
  readonly challengePort: number;
  /** Its actions so far. */
  log(): string;
  stop(): Promise<void>;
}

/** Why Pebble is missing here, as a skipped test's title says it; null: it is there. */
export const pebbleMissing: string | null =
  spawnSync('pebble', ['-version'], { stdio: 'ignore' }).status === 0 ? null : 'skipped: needs pebble';

export async function startPebble(dnsServer: string): Promise<Pebble> {
  const folder = tempFolder();
  const [port, management, challengePort, tlsPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const { certPem, keyPem } = issueCertificate({ subject: 'pebble', names: ['127.0.0.1'], ca: true });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const caFile = file('cert.pem', certPem);
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: caFile,
    privateKey: file('key.pem', keyPem),
    httpPort: challengePort,
    tlsPort,
    retryAfter: { authz: 1, order: 1 },
    profiles: { default: { description: 'ninety days', validityPeriod: 7_776_000 } },
  };
  const config = file('pebble.json', JSON.stringify({ pebble }));
  const child = spawn('pebble', ['-config', config, '-dnsserver', dnsServer], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = once(child, 'exit');
  await eventually(() => log.includes('ACME directory available'));
  return {
    directory: `https://127.0.0.1:${port}/dir`,
    ca: certPem,
    caFile,
    challengePort,
    log: () => log,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

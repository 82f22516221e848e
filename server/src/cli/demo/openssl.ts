import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readBundle } from '@acuse/evidence/bundle';

const OPENSSL_TIMEOUT_MS = 20_000;

type OpensslVerdict =
  | { ran: true; ok: boolean; command: string; said: string }
  | { ran: false; reason: string };

/** Entry names are already checked. Returns them. */
export function unpackBundle(bytes: Uint8Array, folder: string): string[] {
  const entries = readBundle(bytes);
  for (const [name, content] of entries) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return [...entries.keys()];
}

/** With the bundle's own root. */
export function verifyWithOpenssl(folder: string, rootFile: string): Promise<OpensslVerdict> {
  const args = ['ts', '-verify', '-data', 'checkpoint.txt', '-in', 'constancia.tsr', '-CAfile', rootFile];
  return new Promise((resolve) => {
    execFile('openssl', args, { cwd: folder, timeout: OPENSSL_TIMEOUT_MS }, (error, stdout, stderr) => {
      if ((error as NodeJS.ErrnoException | null)?.code === 'ENOENT')
        return resolve({ ran: false, reason: 'openssl is not installed' });
      const said =
        `${stdout}${stderr}`.split('\n').find((line) => line.startsWith('Verification')) ??
        `${stdout}${stderr}`.trim();
      resolve({
        ran: true,
        ok: error === null && said === 'Verification: OK',
        command: `openssl ${args.join(' ')}`,
        said,
      });
    });
  });
}

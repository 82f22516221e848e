// Postfix as Debian configures it, in a folder of its own, with everything relayed to one host.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const exec = promisify(execFile);
const DEBIAN_MAIN = '/usr/share/postfix/main.cf.debian';
/** Connections that load the queue. */
const LOADERS = '20';

/** Bytes that smtp-source and smtpd put before the payload, about. */
const HEADER_BYTES = 350;

/** Why there can be none here; null when there can. */
export async function postfixMissing() {
  return (await testkit()).postfixMissing;
}

/** A port free now: smtp-sink takes no port 0. */
export async function freePort() {
  return (await testkit()).freePort();
}

/** `load` holds its messages in the queue, fsynced; `release` has the queue run at once. */
export async function startPostfixQueue(sinkPort) {
  const { startPostfix } = await testkit();
  const postfix = await startPostfix({
    // Only the way in differs from the default: it holds what it takes. access(5)
    services: [
      { address: '127.0.0.1', options: { smtpd_client_restrictions: 'check_client_access static:HOLD' } },
    ],
    main: {
      ...debianDefaults(),
      myhostname: 'postfix.bench.test',
      // As with Debian's own start: to syslog, which costs less than a file.
      maillog_file: '',
      mynetworks: '127.0.0.0/8',
      relayhost: `[127.0.0.1]:${sinkPort}`,
    },
  });
  const pid = Number(readFileSync(join(postfix.queueFolder, 'pid/master.pid'), 'latin1'));
  return {
    pid,
    async load(messages, bytes) {
      const to = ['-f', 'a@sender.test', '-t', 'b@dest.test', `127.0.0.1:${postfix.port}`];
      const payload = String(bytes - HEADER_BYTES);
      const args = ['-m', String(messages), '-s', LOADERS, '-l', payload, ...to];
      await exec('smtp-source', args, { env: PATH_ENV });
      // Into the deferred queue, which waits for its next run.
      postfix.command('postsuper', '-H', 'ALL');
    },
    release: () => exec('postqueue', ['-c', postfix.configFolder, '-f'], { env: PATH_ENV }),
    stop: postfix.stop,
  };
}

const PATH_ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

/**
 * main.cf of a fresh installation, but for names of files that only the system's own Postfix has.
 */
function debianDefaults() {
  const lines = readFileSync(DEBIAN_MAIN, 'utf8').split('\n');
  const pairs = lines
    .filter((line) => /^[a-z]/.test(line))
    .map((line) => line.split('=').map((part) => part.trim()));
  return Object.fromEntries(pairs.map(([name, ...value]) => [name, value.join('=')]));
}

let loaded;
/** The tests' own way to start a Postfix, and to find a port. */
async function testkit() {
  if (loaded !== undefined) return loaded;
  const folder = mkdtempSync(join(tmpdir(), 'acuse-bench-testkit-'));
  const outfile = join(folder, 'testkit.mjs');
  const stdin = {
    contents: "export * from './postfix.ts'; export * from './free-port.ts';",
    resolveDir: fileURLToPath(new URL('../packages/testkit/src', import.meta.url)),
  };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm' });
  loaded = await import(outfile);
  rmSync(folder, { recursive: true });
  return loaded;
}

// `acuse attack` against a service of its own, from fifty IPv4 networks and, as root, from 64 networks of one
// IPv6 /48.
//   npm run bench -- attack [seconds for each door]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './postfix-queue.mjs';
import { inFreshFolder, MESSAGE, makeAccount, PROGRAM, settings, startService } from './send-service.mjs';

const OWNER = 'ana@example.com';
const IPV4 = Array.from({ length: 50 }, (_, at) => `127.66.${at}.1`);
/** In eight /56 of a /48. */
const IPV6 = Array.from(
  { length: 64 },
  (_, at) => `fd66:6:6:${(((at >> 3) << 8) | (at & 7)).toString(16)}::1`,
);

export const run = async ([seconds = 20]) => {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) console.log('without root: IPv4 alone');
  try {
    if (isRoot) for (const address of IPV6) ip('add', address);
    await inFreshFolder((dataDir) => attackAll(dataDir, isRoot ? [...IPV4, ...IPV6] : IPV4, seconds));
  } finally {
    if (isRoot) for (const address of IPV6) ip('del', address);
  }
};

async function attackAll(dataDir, sources, seconds) {
  const key = await makeAccount(dataDir);
  const [submission, returnPath] = [await freePort(), await freePort()];
  const service = await startService(dataDir, {
    env: {
      ...{ ACUSE_HOST: '::', ACUSE_SUBMISSION_HOST: '::', ACUSE_RETURN_PATH_HOST: '::' },
      ACUSE_SUBMISSION_PORT: String(submission),
      ACUSE_RETURN_PATH_PORT: String(returnPath),
      // The limits on requests are what is measured, but for those of the client's own key.
      ...{ ACUSE_ADDRESS_RATE: undefined, ACUSE_ADDRESS_BURST: undefined, ACUSE_LOG_LEVEL: 'error' },
    },
  });
  try {
    const link = acuse(dataDir, ['users', 'link', OWNER, '--role', 'owner']);
    const attack = spawn(
      process.execPath,
      [
        ...[PROGRAM, 'attack', `http://127.0.0.1:${new URL(service.url).port}`, '--key', key, '--link', link],
        ...['--from', MESSAGE.from, '--to', MESSAGE.to, '--seconds', String(seconds)],
        ...['--submission', `127.0.0.1:${submission}`, '--return-path', `127.0.0.1:${returnPath}`],
        ...sources.flatMap((source) => ['--source', source]),
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const [code] = await once(attack, 'exit');
    if (code !== 0) process.exitCode = 1;
  } finally {
    await service.stop();
  }
}

const ip = (what, address) =>
  execFileSync('ip', ['-6', 'addr', what, `${address}/128`, 'dev', 'lo'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });

const acuse = (dataDir, args) =>
  execFileSync(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, ...settings(dataDir) },
    encoding: 'utf8',
  });

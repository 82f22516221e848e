// `acuse attack` against a service of its own that is at work: a program sends steadily with the key of the
// known client, and its sends are counted too.
//   npm run bench -- attack [seconds for each door] [sends a second]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './postfix-queue.mjs';
import { inFreshFolder, MESSAGE, makeAccount, PROGRAM, settings, startService } from './send-service.mjs';

const OWNER = 'ana@example.com';

export const run = ([seconds = 20, perSecond = 10]) =>
  inFreshFolder(async (dataDir) => {
    const key = await makeAccount(dataDir);
    const [submission, returnPath] = [await freePort(), await freePort()];
    const env = {
      ACUSE_SUBMISSION_PORT: String(submission),
      ACUSE_RETURN_PATH_PORT: String(returnPath),
      // The limits on requests are what is measured, but for those of the client's own key.
      ...{ ACUSE_ADDRESS_RATE: undefined, ACUSE_ADDRESS_BURST: undefined, ACUSE_LOG_LEVEL: 'error' },
    };
    const service = await startService(dataDir, { env });
    const sends = startSends(service.url, key, Number(perSecond));
    try {
      const link = acuse(dataDir, ['users', 'link', OWNER, '--role', 'owner']).trim();
      const attack = spawn(
        process.execPath,
        [
          ...[PROGRAM, 'attack', service.url, '--key', key, '--link', link, '--seconds', String(seconds)],
          ...['--submission', `127.0.0.1:${submission}`, '--return-path', `127.0.0.1:${returnPath}`],
        ],
        { stdio: ['ignore', 'inherit', 'inherit'] },
      );
      const [code] = await once(attack, 'exit');
      const { statuses, times } = await sends.stop();
      const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]?.toFixed(0);
      console.log(
        `\nsends meanwhile: ${JSON.stringify(statuses)}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, all within ${at(1)} ms`,
      );
      const failed = Object.keys(statuses).some((status) => status !== '201');
      if (code !== 0 || failed) process.exitCode = 1;
    } finally {
      await sends.stop();
      await service.stop();
    }
  });

const acuse = (dataDir, args) =>
  execFileSync(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, ...settings(dataDir) },
    encoding: 'utf8',
  });

/** Each at its time, whether or not the one before was answered. */
function startSends(url, key, perSecond) {
  const statuses = {};
  const times = [];
  const pending = new Set();
  const timer = setInterval(() => {
    const sending = send();
    pending.add(sending);
    sending.then(() => pending.delete(sending));
  }, 1_000 / perSecond);

  async function send() {
    const startedMs = performance.now();
    const status = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        'idempotency-key': crypto.randomUUID(),
      },
      body: JSON.stringify(MESSAGE),
      signal: AbortSignal.timeout(10_000),
    }).then(
      (answer) => answer.arrayBuffer().then(() => answer.status),
      () => 'no answer',
    );
    times.push(performance.now() - startedMs);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }

  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
      return { statuses, times: times.sort((one, other) => one - other) };
    },
  };
}

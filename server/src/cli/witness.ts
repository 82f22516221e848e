import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { EvidenceError } from '@acuse/evidence/errors';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import { listenHost, port as portType } from '../config/config-values.ts';
import { formatWitnessKey, readWitnessKey, type WitnessKey } from '../evidence/witness/key.ts';
import { serveWitness } from '../evidence/witness/serve.ts';
import { openWitnessState } from '../evidence/witness/state.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/logger.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { readInput, writeOutput } from './files.ts';
import { lockState } from './state-lock.ts';
import { untilStopped } from './stop-signal.ts';
import { readLogKeys } from './verifier-keys.ts';

const KEY_MAX_BYTES = 4 * 1024;
const SEED_BYTES = 32;
const DEFAULT_LISTEN = '127.0.0.1:8030';

const keyCommand = defineCommand({
  name: 'witness key',
  summary: 'Creates a witness key: a private key file, and the public line to give to others',
  args: [{ name: 'file', doc: 'file for the private key; an existing file is not overwritten' }],
  options: {
    name: {
      type: 'string',
      value: '<name>',
      doc: 'name of the witness, a permanent part of its key: a host and path of yours, such as witness.example/w1',
      required: true,
    },
  },
  examples: ['acuse witness key witness.key --name witness.example/w1'],
  async run({ options, args, out }) {
    const [path] = args as [string];
    let line: string;
    try {
      line = formatWitnessKey(options.name, randomBytes(SEED_BYTES));
    } catch (cause) {
      if (!(cause instanceof EvidenceError)) throw cause;
      throw new CommandError(EXIT.usage, 'usage', `--name: ${cause.detail}`, { cause });
    }
    writeOutput(path, Buffer.from(`${line}\n`), 0o600);
    const { vkey } = readWitnessKey(line);
    out.answer({ file: path, vkey }, () => vkey);
  },
});

const witness = defineCommand({
  name: 'witness',
  summary: "Cosigns other installations' logs until it is stopped (SIGTERM or Ctrl-C)",
  details:
    'C2SP tlog-witness: POST /add-checkpoint; GET /key returns its own key. It signs only what is consistent with everything that it signed before, and stores that on disk before it signs. Put a TLS proxy in front of it before you expose it. Needs no database.',
  options: {
    key: {
      type: 'string',
      value: '<file>',
      doc: 'private key file, created by acuse witness key',
      required: true,
    },
    log: {
      type: 'string',
      value: '<key>',
      doc: 'verifier key of a log, or a file of them (one per line); repeatable',
      multiple: true,
    },
    state: {
      type: 'string',
      value: '<file>',
      doc: 'file for what it signed last (default: the key file with .state)',
    },
    listen: {
      type: 'string',
      value: '<address:port>',
      doc: `address and port (default: ${DEFAULT_LISTEN}); port 0: any free one`,
    },
  },
  examples: [
    'acuse witness --key witness.key --log "$(curl -s https://log.example/log/key)"',
    'acuse witness --key witness.key --log logs.txt --listen 0.0.0.0:8030',
  ],
  async run({ options, out }) {
    const key = readKey(options.key);
    const logKeys = readAllLogKeys(options.log);
    const listen = readListen(options.listen ?? DEFAULT_LISTEN);
    const statePath = options.state ?? `${options.key}.state`;
    const lock = await lockState(statePath, 'witness');
    try {
      const state = openState(statePath, key);
      await untilStopped(async (stop) => {
        const running = await serveWitness(
          { key, logKeys, state, clock: systemClock, log: createLog('info') },
          listen,
        );
        const url = `http://${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${running.port}`;
        const logs = logKeys.map(({ name }) => name);
        out.answer({ url, vkey: key.vkey, logs }, () => [
          `witness ${key.vkey}`,
          `listening on ${url} for ${logs.join(', ')}`,
        ]);
        if (!stop.aborted) await once(stop, 'abort');
        await running.stop();
      });
      return EXIT.ok;
    } finally {
      lock.release();
    }
  },
});

export const witnessCommands: readonly Command[] = [witness, keyCommand];

function readKey(path: string): WitnessKey {
  const line = Buffer.from(readInput(path, KEY_MAX_BYTES)).toString('utf8').trim();
  if ((statSync(path).mode & 0o077) !== 0)
    throw new CommandError(
      EXIT.usage,
      'key_exposed',
      `${path} can be read by others: run chmod 600 on it, and create a new key if they may have read it`,
    );
  try {
    return readWitnessKey(line);
  } catch (cause) {
    if (!(cause instanceof EvidenceError)) throw cause;
    throw new CommandError(EXIT.usage, 'invalid_key', `${path}: ${cause.detail}`, { cause });
  }
}

/** Ignores a log's second key: a witness uses the first. */
function readAllLogKeys(given: readonly string[]): VerifierKey[] {
  const keys = given.flatMap((one) => readLogKeys(one).keys);
  if (keys.length === 0) throw usage('--log is required: a witness signs only for logs that it knows');
  return keys;
}

function readListen(text: string): { host: string; port: number } {
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = listenHost.parse(bracketed ?? plain ?? '');
  const port = portText === undefined ? undefined : portType.parse(portText);
  if (host === undefined || port === undefined)
    throw usage('--listen takes address:port, such as 127.0.0.1:8030 or [::]:8030');
  return { host, port };
}

function openState(path: string, key: WitnessKey) {
  try {
    return openWitnessState(path, key.vkey);
  } catch (cause) {
    throw new CommandError(EXIT.failed, 'invalid_state', (cause as Error).message, { cause });
  }
}

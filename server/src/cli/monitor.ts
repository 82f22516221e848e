import { setTimeout as sleep } from 'node:timers/promises';
import { decodeUtf8 } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import { type PinnedKey, readTrustPolicy } from '@acuse/evidence/policy';
import { openPromise } from '@acuse/evidence/promise';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { parseTlogProof } from '@acuse/evidence/tlog-proof';
import {
  COSIGNATURE_V1,
  formatVerifierKey,
  sameWitness,
  type VerifierKey,
} from '@acuse/evidence/verifier-key';
import { countOperators } from '@acuse/evidence/witness';
import { duration } from '../config/config-values.ts';
import { createLogClient } from '../evidence/monitor/log-client.ts';
import { lookOnce, type MonitorOptions } from '../evidence/monitor/monitor.ts';
import { type MonitorReport, reportText } from '../evidence/monitor/report.ts';
import { loadState, type MonitorState, saveState } from '../evidence/monitor/state.ts';
import { ed25519 } from '../platform/ed25519.ts';
import { sha256 } from '../platform/sha256.ts';
import { type Command, CommandError, defineCommand, EXIT, type ExitCode, usage } from './command.ts';
import { readInput } from './files.ts';
import { lockState } from './state-lock.ts';
import { untilStopped } from './stop-signal.ts';
import { readLogKeys, readVerifierKeys } from './verifier-keys.ts';

const NOTE_MAX_BYTES = 512 * 1024;
const POLICY_MAX_BYTES = 1024 * 1024;
const DEFAULT_CONSTANCIA = '1h';
const DEFAULT_WITNESS = '1h';
const DAY_MS = 24 * 60 * 60 * 1000;

const monitor = defineCommand({
  name: 'monitor',
  summary: 'Monitors a log from outside, by its URL and key alone, and alerts when it is inconsistent',
  details:
    'Rebuilds the tree from every entry and compares it with every checkpoint; verifies a constancia over each; looks for promised entries; reports witnesses. Keeps its state in a file. Exit code 0: no problem; 1: an alert; 3: the log could not be reached. A proven inconsistency stays an alert until --acknowledge.',
  args: [{ name: 'url', doc: 'URL prefix of the log, such as https://log.example/log' }],
  options: {
    key: {
      type: 'string',
      value: '<key>',
      doc: 'verifier key of the log, or a file with it, as /log/key has it: with a second key of ML-DSA-44, each new checkpoint must have that signature too',
      required: true,
    },
    state: {
      type: 'string',
      value: '<file>',
      doc: 'file that keeps the state between two checks',
      required: true,
    },
    once: { type: 'boolean', doc: 'check once and exit (default)' },
    interval: {
      type: 'string',
      value: '<time>',
      doc: 'check repeatedly at this interval (default: 60s) until SIGTERM; one report per check',
    },
    promise: {
      type: 'string',
      value: '<file>',
      doc: 'promise (signed note) that the log must keep; repeatable, and remembered',
      multiple: true,
    },
    seen: {
      type: 'string',
      value: '<file>',
      doc: 'checkpoint or tlog-proof that others were shown; repeatable',
      multiple: true,
    },
    trust: {
      type: 'string',
      value: '<file>',
      doc: 'your own policy.json: its authorities and witnesses are trusted',
    },
    witness: {
      type: 'string',
      value: '<key>',
      doc: 'verifier key of a witness, or a file of them; repeatable',
      multiple: true,
    },
    quorum: { type: 'string', value: '<number>', doc: 'how many of the witnesses must have cosigned' },
    'constancia-within': {
      type: 'string',
      value: '<time>',
      doc: `how soon a checkpoint must have its constancia (default: ${DEFAULT_CONSTANCIA})`,
    },
    'witness-within': {
      type: 'string',
      value: '<time>',
      doc: `how soon witnesses must cosign (default: ${DEFAULT_WITNESS})`,
    },
    full: {
      type: 'boolean',
      doc: 'read all known entries again, instead of a random sample of them',
    },
    acknowledge: { type: 'boolean', doc: 'acknowledge the inconsistencies proven so far and clear them' },
  },
  examples: [
    'acuse monitor https://log.example/log --key log.key --state monitor.json',
    'acuse monitor https://log.example/log --key "$KEY" --state monitor.json --interval 5m --witness w.key --quorum 1 --json',
    'acuse monitor https://log.example/log --key log.key --state monitor.json --promise promise.txt --trust policy.json',
  ],
  async run({ options, args, out }) {
    const [url] = args as [string];
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw usage(`"${url}" is not an http or https URL`);
    const { key, second } = readLogKey(options.key);
    const intervalMs = options.interval === undefined ? null : readTime('--interval', options.interval);
    if (options.once && intervalMs !== null) throw usage('give either --once or --interval, not both');
    const monitored = readOptions(options, key, second);
    const lock = await lockState(options.state, 'monitor');
    try {
      const state = openState(options.state, key);
      if (options.acknowledge) state.incidents = [];
      const save = (changed: MonitorState) => saveState(options.state, formatVerifierKey(key), changed);
      return await untilStopped(async (stop) => {
        const wait = (ms: number) => sleep(ms, undefined, { signal: stop });
        const client = createLogClient({ url, signal: stop, sleep: wait });
        const rereading = { full: options.full === true, random: Math.random };
        const deps = { rereading, client, key, now: () => new Date(), sleep: wait, save };
        for (;;) {
          const report = await lookOnce(deps, monitored, state).catch((error) => {
            if (stop.aborted) return null;
            throw error;
          });
          if (report === null) return EXIT.ok;
          out.answer(report, () => reportText(report));
          const code = exitCode(report);
          if (intervalMs === null) return code;
          await wait(intervalMs).catch(() => {});
          if (stop.aborted) return code;
        }
      });
    } finally {
      lock.release();
    }
  },
});

export const monitorCommands: readonly Command[] = [monitor];

function exitCode({ status }: MonitorReport): ExitCode {
  return status === 'ok' ? EXIT.ok : status === 'alert' ? EXIT.failed : EXIT.unavailable;
}

function readLogKey(given: string): { key: VerifierKey; second: readonly VerifierKey[] } {
  const { keys, second } = readLogKeys(given);
  const [key] = keys;
  if (key === undefined || keys.length > 1 || second.some(({ name }) => name !== key.name))
    throw usage('--key takes the keys of one log: one of Ed25519, and those of ML-DSA-44 that it has');
  return { key, second };
}

interface Given {
  readonly promise: readonly string[];
  readonly seen: readonly string[];
  readonly trust: string | undefined;
  readonly witness: readonly string[];
  readonly quorum: string | undefined;
  readonly 'constancia-within': string | undefined;
  readonly 'witness-within': string | undefined;
}

function readOptions(given: Given, key: VerifierKey, second: readonly VerifierKey[]): MonitorOptions {
  const trust = given.trust === undefined ? null : readTrust(given.trust);
  const named = given.witness.flatMap((one) => readVerifierKeys(one, COSIGNATURE_V1));
  const witnessKeys = named.length > 0 ? named : (trust?.witnessKeys ?? []);
  const quorum = given.quorum ?? String(named.length > 0 ? 0 : (trust?.witnessQuorum ?? 0));
  const twice = sameWitness(witnessKeys);
  if (twice !== undefined) throw usage(`--witness: ${twice}`);
  const operators = countOperators(witnessKeys);
  if (!/^\d{1,2}$/.test(quorum) || Number(quorum) > operators)
    throw usage(
      `--quorum takes a number up to ${operators}, the number of witness operators; witnesses on one host count once`,
    );
  return {
    promises: given.promise.map((path) =>
      readNote(path, (note) => void openPromise(note, [key], sha256, ed25519)),
    ),
    seen: given.seen.map((path) => readNote(path, (note) => void openCheckpoint(note, [key], ed25519))),
    secondKeys: [...second, ...(trust?.secondKeys ?? [])],
    authorities: trust?.authorities ?? null,
    constanciaWithinMs: readTime('--constancia-within', given['constancia-within'] ?? DEFAULT_CONSTANCIA),
    witnessKeys,
    witnessQuorum: Number(quorum),
    witnessWithinMs: readTime('--witness-within', given['witness-within'] ?? DEFAULT_WITNESS),
  };
}

/** From a note or tlog-proof. Throws CommandError `invalid_note`. */
function readNote(path: string, check: (note: string) => void): string {
  const bytes = readInput(path, NOTE_MAX_BYTES);
  try {
    const text = decodeUtf8(bytes) ?? '';
    const note = text.startsWith('c2sp.org/tlog-proof@') ? parseTlogProof(bytes).checkpointNote : text;
    check(note);
    return note;
  } catch (cause) {
    if (!(cause instanceof EvidenceError)) throw cause;
    throw new CommandError(EXIT.usage, 'invalid_note', `${path}: ${cause.message}`, { cause });
  }
}

function readTrust(path: string): {
  authorities: readonly TimeStampPolicy[];
  secondKeys: readonly PinnedKey[];
  witnessKeys: readonly VerifierKey[];
  witnessQuorum: number;
} {
  try {
    const {
      timeStamps,
      mldsa44Keys = [],
      witnessKeys,
      witnessQuorum,
    } = readTrustPolicy(JSON.parse(Buffer.from(readInput(path, POLICY_MAX_BYTES)).toString('utf8')), sha256);
    return { authorities: timeStamps, secondKeys: mldsa44Keys, witnessKeys, witnessQuorum };
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const problem = cause instanceof EvidenceError ? cause.detail : 'it is not JSON';
    throw new CommandError(EXIT.usage, 'invalid_policy', `${path} is not a trust policy: ${problem}`, {
      cause,
    });
  }
}

function readTime(option: string, text: string): number {
  const type = duration(1_000, 365 * DAY_MS);
  const ms = type.parse(text);
  if (ms === undefined) throw usage(`${option} takes ${type.expected}`);
  return ms;
}

function openState(path: string, key: VerifierKey): MonitorState {
  try {
    return loadState(path, formatVerifierKey(key));
  } catch (cause) {
    throw new CommandError(EXIT.failed, 'invalid_state', (cause as Error).message, { cause });
  }
}

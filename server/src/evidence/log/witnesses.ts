import { readFileSync } from 'node:fs';
import { EvidenceError } from '@acuse/evidence/errors';
import {
  COSIGNATURE_V1,
  formatVerifierKey,
  parseVerifierKey,
  sameWitness,
  type VerifierKey,
} from '@acuse/evidence/verifier-key';
import { countOperators, ownWitness } from '@acuse/evidence/witness';
import { sha256 } from '../../platform/sha256.ts';
import { withoutSlashesBehind } from '../../platform/slashes.ts';

/** C2SP tlog-witness. */
export interface Witness {
  /** Without a trailing slash. */
  readonly url: string;
  /** Where it shows its cosignatures; without a trailing slash. */
  readonly monitoringUrl: string;
  readonly key: VerifierKey;
  readonly vkey: string;
}

/** `quorum`: required number of operators. */
export interface Witnesses {
  readonly list: readonly Witness[];
  readonly quorum: number;
}

export const NO_WITNESSES: Witnesses = { list: [], quorum: 0 };

/** As many as a trust policy may pin. */
const MAX_WITNESSES = 16;
const URL_MAX_CHARS = 2_048;

/**
 * `{"quorum": 1, "witnesses": [{"url": "https://witness.example/prefix", "vkey": "witness.example/w1+…"}]}`,
 * with `monitoring_url` if it differs. Throws an Error that names the file and the fault.
 */
export function openWitnesses(path: string | null, logs: readonly VerifierKey[] = []): Witnesses {
  if (path === null) return NO_WITNESSES;
  try {
    return readWitnesses(JSON.parse(readFileSync(path, 'utf8')), logs);
  } catch (cause) {
    const problem = cause instanceof EvidenceError ? cause.detail : (cause as Error).message;
    throw new Error(`${path}: ${problem}`, { cause });
  }
}

/** Throws EvidenceError `witnesses` for another shape, or a log as its own witness. */
export function readWitnesses(value: unknown, logs: readonly VerifierKey[] = []): Witnesses {
  const { quorum, witnesses } = fieldsOf(value, ['quorum', 'witnesses']);
  if (!Array.isArray(witnesses) || witnesses.length === 0 || witnesses.length > MAX_WITNESSES)
    throw refusal(`witnesses is not a list of 1 to ${MAX_WITNESSES}`);
  const list = witnesses.map(readWitness);
  const keys = list.map(({ key }) => key);
  const twice = sameWitness(keys) ?? ownWitness(keys, logs);
  if (twice !== undefined) throw refusal(`has ${twice}`);
  // A second witness of one operator adds nothing.
  const operators = countOperators(list.map(({ key }) => key));
  if (!Number.isSafeInteger(quorum) || (quorum as number) < 0 || (quorum as number) > operators)
    throw refusal(`quorum is not a number from 0 to ${operators}, which is how many operators there are`);
  return { list, quorum: quorum as number };
}

function readWitness(value: unknown): Witness {
  const { url, vkey, monitoring_url: monitoring = url } = fieldsOf(value, ['url', 'vkey', 'monitoring_url']);
  if (typeof vkey !== 'string') throw refusal('vkey is not a text');
  const key = parseVerifierKey(vkey, sha256);
  if (key.type !== COSIGNATURE_V1) throw refusal(`${key.name} is not the key of a witness (type 04)`);
  return { url: readUrl(url), monitoringUrl: readUrl(monitoring), key, vkey: formatVerifierKey(key) };
}

function readUrl(url: unknown): string {
  if (typeof url !== 'string') throw refusal('url is not a text');
  if (
    url.length > URL_MAX_CHARS ||
    !URL.canParse(url) ||
    !/^https?:$/.test(new URL(url).protocol) ||
    /[?#]/.test(url)
  )
    throw refusal(`${JSON.stringify(url.slice(0, 80))} is not an http or https URL without query`);
  return withoutSlashesBehind(url);
}

function fieldsOf(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusal('not an object');
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) throw refusal(`unknown field ${JSON.stringify(unknown)}`);
  return value as Record<string, unknown>;
}

function refusal(reason: string): EvidenceError {
  return new EvidenceError('witnesses', reason);
}

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { EvidenceError } from '@acuse/evidence/errors';
import { readTimeStampPolicy } from '@acuse/evidence/timestamp/manifest';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { createRfc3161HttpSealer, type SealerCredentials } from './rfc3161-http.ts';
import type { Sealer } from './sealer.ts';

/** The authority as the configuration names it; all null: the embedded development authority. */
export interface SealerConfig {
  readonly tsaUrl: string | null;
  /** JSON file of a TimeStampPolicy: what is pinned about the authority. */
  readonly tsaPolicyFile: string | null;
  readonly tsaUsername: string | null;
  readonly tsaPassword: string | null;
  readonly tsaToken: string | null;
}

/** Where the embedded authority answers, and its policy. */
export interface DevelopmentTsa {
  readonly url: string;
  readonly policy: TimeStampPolicy;
}

/** The configured authority. Throws an Error that names the file and field when its policy cannot be read. */
export async function openSealer(config: SealerConfig, development: DevelopmentTsa): Promise<Sealer> {
  const { tsaUrl, tsaPolicyFile } = config;
  if (tsaUrl === null || tsaPolicyFile === null) {
    const { url, policy } = development;
    return createRfc3161HttpSealer({ url, policy, credentials: { kind: 'none' }, random: randomBytes });
  }
  const policy = await readPolicyFile(tsaPolicyFile);
  return createRfc3161HttpSealer({
    url: tsaUrl,
    policy,
    credentials: credentialsOf(config),
    random: randomBytes,
  });
}

async function readPolicyFile(path: string): Promise<TimeStampPolicy> {
  const json = await readFile(path, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new Error(`${path}: not JSON`, { cause });
  }
  try {
    return readTimeStampPolicy(value);
  } catch (cause) {
    if (!(cause instanceof EvidenceError)) throw cause;
    throw new Error(`${path}: ${cause.detail}`, { cause });
  }
}

function credentialsOf(config: SealerConfig): SealerCredentials {
  const { tsaUsername: username, tsaPassword: password, tsaToken: token } = config;
  if (token !== null) return { kind: 'bearer', token };
  if (username !== null && password !== null) return { kind: 'basic', username, password };
  return { kind: 'none' };
}

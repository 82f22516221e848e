import type { MailResolver } from '@acuse/mail/routing/resolver';
import type { DomainDns } from '../../accounts/domains/dns.ts';
import type { DnsAnswer } from '../../accounts/domains/records.ts';
import type { Config } from '../../config/config-type.ts';
import type { FetchPolicy } from '../../delivery/next-hop/mta-sts-policies.ts';
import type { SecretOf } from '../../evidence/stamp/open-authorities.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { type Finding, fault } from './finding.ts';

/**
 * `acuse doctor`: checks everything outside the code that mail and evidence depend on, and says how to repair
 * it. Changes nothing. Each file here is a group of checks, with pure functions that judge.
 */
export interface DoctorDeps {
  readonly config: Config;
  /** Null: unreachable; its checks are skipped. */
  readonly db: Db | null;
  readonly clock: Clock;
  readonly dns: DoctorDns;
  readonly fetchPolicy: FetchPolicy;
  /** Null: unknown. */
  readonly isClockKept: () => Promise<boolean | null>;
  readonly secretOf: SecretOf;
}

interface DoctorDns {
  readonly resolver: MailResolver;
  readonly domains: DomainDns;
  /** PTR. */
  readonly reverse: (address: string) => Promise<DnsAnswer>;
}

export interface DoctorOptions {
  /** Null: all verified or failing. */
  readonly domain: string | null;
  readonly connect: string | null;
  readonly stamp: boolean;
}

export type Group = (
  deps: DoctorDeps,
  options: DoctorOptions,
  signal: AbortSignal,
) => Promise<readonly Finding[]>;

/** Twice the time-out of a silent DNS server (ms). */
const GROUP_LIMIT_MS = 20_000;

/** Never rejects: a failing group is a finding. */
export async function examine(
  groups: Readonly<Record<string, Group>>,
  deps: DoctorDeps,
  options: DoctorOptions,
  limitMs = GROUP_LIMIT_MS,
): Promise<Finding[]> {
  const runs = Object.entries(groups).map(([name, group]) => runGroup(name, group, limitMs, [deps, options]));
  return (await Promise.all(runs)).flat();
}

async function runGroup(
  name: string,
  group: Group,
  limitMs: number,
  args: readonly [DoctorDeps, DoctorOptions],
): Promise<readonly Finding[]> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => {
      controller.abort();
      resolve([fault('unknown', [name, 'all'], `Not finished within ${limitMs / 1_000} s.`, TRY_AGAIN)]);
    }, limitMs);
  });
  const done = group(...args, controller.signal).catch((error: unknown) => [
    fault('unknown', [name, 'all'], `Could not be checked: ${(error as Error).message}`, TRY_AGAIN),
  ]);
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}

const TRY_AGAIN = 'run acuse doctor again; if it stays, look at the network and at the log of the service';

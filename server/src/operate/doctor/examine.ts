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
 * `acuse doctor`: looks at everything outside the code that mail and evidence depend on (DNS, ports, clock,
 * certificates, disk, database, authorities, queue) and says how to repair what is wrong. It changes nothing.
 * Each file beside this one is one group of checks: it asks, and judges what it heard in pure functions.
 */
export interface DoctorDeps {
  readonly config: Config;
  /** Null: it could not be reached, and the checks that read it are left out. */
  readonly db: Db | null;
  readonly clock: Clock;
  readonly dns: DoctorDns;
  readonly fetchPolicy: FetchPolicy;
  /** Whether the system keeps its clock by a time server; null: it cannot be asked. */
  readonly isClockKept: () => Promise<boolean | null>;
  readonly secretOf: SecretOf;
}

export interface DoctorDns {
  readonly resolver: MailResolver;
  readonly domains: DomainDns;
  /** The names of an address (PTR). */
  readonly reverse: (address: string) => Promise<DnsAnswer>;
}

/** What the operator asks for. */
export interface DoctorOptions {
  /** Only this sending domain; null: those that are verified, or were. */
  readonly domain: string | null;
  /** A mail server to connect to, which shows whether mail can leave; null: none. */
  readonly connect: string | null;
  /** Have each authority stamp something, which can cost money. */
  readonly stamp: boolean;
}

/** One group of checks. Must end soon after its signal. */
export type Group = (
  deps: DoctorDeps,
  options: DoctorOptions,
  signal: AbortSignal,
) => Promise<readonly Finding[]>;

/** Time that a group of checks gets (ms): twice what a silent DNS server takes to give up on. */
export const GROUP_LIMIT_MS = 20_000;

/** Runs all groups at once. Never rejects: a group that fails or takes too long is itself a finding. */
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

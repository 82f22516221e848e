/**
 * From what the DNS says of a domain to the addresses to try, in order. Pure; chance is an argument. RFC 5321
 * §5.1
 */
import type { RoutingProblem } from '../reply/classify.ts';
import type { MxRecord } from './dns-message.ts';
import type { Lookup } from './resolver.ts';

/** Addresses tried in one attempt at most. */
export const MAX_ADDRESSES = 5;
/** Conversations in one attempt at most: connections that got as far as a greeting. */
export const MAX_SESSIONS = 2;
/** MX hosts whose addresses are looked up. */
export const MAX_HOSTS = 10;

/** Where to connect. */
export interface Target {
  readonly host: string;
  readonly address: string;
  readonly family: 4 | 6;
}

/** The hosts of a domain, best first, or why there are none. `implicit`: the domain itself, having no MX. */
export type MailHosts =
  | {
      readonly kind: 'hosts';
      readonly hosts: readonly string[];
      readonly implicit: boolean;
      /** The MX set was validated by DNSSEC, which DANE requires. */
      readonly authenticated: boolean;
    }
  | { readonly kind: 'problem'; readonly problem: RoutingProblem; readonly detail: string };

/** Random number in [0, 1). */
export type Rng = () => number;

/**
 * Reads the MX look-up of a domain. `isSelf` says which host names are ours: hosts with our preference or a
 * worse one are left out, so that mail does not loop.
 */
export function mailHosts(
  domain: string,
  mx: Lookup<MxRecord>,
  rng: Rng,
  isSelf: (host: string) => boolean = () => false,
): MailHosts {
  switch (mx.kind) {
    case 'nxdomain':
      return { kind: 'problem', problem: 'nxdomain', detail: `${domain} does not exist` };
    case 'servfail':
    case 'timeout':
      return { kind: 'problem', problem: mx.kind, detail: `MX of ${domain}: ${mx.detail}` };
    case 'nodata':
      return { kind: 'hosts', hosts: [domain], implicit: true, authenticated: mx.authenticated };
    case 'found':
      return explicitHosts(domain, mx.records, mx.authenticated, rng, isSelf);
  }
}

function explicitHosts(
  domain: string,
  records: readonly MxRecord[],
  authenticated: boolean,
  rng: Rng,
  isSelf: (host: string) => boolean,
): MailHosts {
  const named = records.filter((record) => record.exchange !== '');
  if (named.length === 0)
    return { kind: 'problem', problem: 'null_mx', detail: `${domain} takes no mail (null MX)` };
  const ours = named.filter((record) => isSelf(record.exchange)).map((record) => record.preference);
  const limit = ours.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...ours);
  const usable = named.filter((record) => record.preference < limit);
  if (usable.length === 0) {
    return {
      kind: 'problem',
      problem: 'loop',
      detail: `${domain}: its MX points back to this server (mail loop)`,
    };
  }
  return { kind: 'hosts', hosts: orderMx(usable, rng).slice(0, MAX_HOSTS), implicit: false, authenticated };
}

/** Host names by preference, in random order where it is equal, each once. RFC 5321 §5.1 */
export function orderMx(records: readonly MxRecord[], rng: Rng): string[] {
  const drawn = records.map((record) => ({ ...record, draw: rng() }));
  drawn.sort((a, b) => a.preference - b.preference || a.draw - b.draw);
  return [...new Set(drawn.map((record) => record.exchange))];
}

/** The addresses of one host. */
export interface HostAddresses {
  readonly host: string;
  readonly v4: Lookup<string>;
  readonly v6: Lookup<string>;
}

export interface AddressOptions {
  readonly rng: Rng;
  /** Families that this machine can use. */
  readonly families?: readonly (4 | 6)[];
  /** True if mail may go to an address; others are skipped. */
  readonly mayReach?: (address: string) => boolean;
}

export type Plan =
  | { readonly kind: 'targets'; readonly targets: readonly Target[] }
  | { readonly kind: 'problem'; readonly problem: RoutingProblem; readonly detail: string };

/**
 * The addresses to try, host by host, IPv6 before IPv4, at most five. If all would be of one family, the last
 * place goes to the best address of the other, as a way around a fault or a refusal of one family.
 */
export function planTargets(hosts: readonly HostAddresses[], options: AddressOptions): Plan {
  const families = options.families ?? [6, 4];
  const known = hosts.flatMap((one) => targetsOf(one, families, options.rng));
  const all = known.filter((target) => options.mayReach?.(target.address) ?? true);
  if (all.length === 0) return noTarget(hosts, known.length > 0);
  const targets = all.slice(0, MAX_ADDRESSES);
  const other = all
    .slice(MAX_ADDRESSES)
    .find((target) => targets.every((one) => one.family !== target.family));
  if (other !== undefined) targets[MAX_ADDRESSES - 1] = other;
  return { kind: 'targets', targets };
}

function targetsOf(host: HostAddresses, families: readonly (4 | 6)[], rng: Rng): Target[] {
  const of = (family: 4 | 6, lookup: Lookup<string>): Target[] => {
    if (lookup.kind !== 'found' || !families.includes(family)) return [];
    const drawn = lookup.records.map((address) => ({ address, draw: rng() })).sort((a, b) => a.draw - b.draw);
    return drawn.map(({ address }) => ({ host: host.host, address, family }));
  };
  return [...of(6, host.v6), ...of(4, host.v4)];
}

/** Certain absence of every host bounces; a single "not now" defers. */
function noTarget(hosts: readonly HostAddresses[], isForbidden: boolean): Plan {
  const lookups = hosts.flatMap((host) => [host.v4, host.v6].map((lookup) => ({ host: host.host, lookup })));
  for (const { host, lookup } of lookups) {
    if (lookup.kind === 'servfail' || lookup.kind === 'timeout') {
      return { kind: 'problem', problem: lookup.kind, detail: `addresses of ${host}: ${lookup.detail}` };
    }
  }
  const names = hosts.map((host) => host.host).join(', ');
  // The addresses are not shown: our name server may know names that senders should not.
  if (isForbidden)
    return {
      kind: 'problem',
      problem: 'forbidden_address',
      detail: `${names}: no address on the public Internet`,
    };
  const found = lookups.some(({ lookup }) => lookup.kind === 'found');
  if (found)
    return {
      kind: 'problem',
      problem: 'no_address',
      detail: `no address of ${names} in a family that we have`,
    };
  return { kind: 'problem', problem: 'no_host', detail: `no address for ${names}` };
}

/**
 * How a target was left. `unreachable`: no greeting; `unwilling`: refused or lost before the message could be
 * offered.
 */
export interface Tried {
  readonly target: Target;
  readonly ended: 'unreachable' | 'unwilling' | 'policy-refusal' | 'final';
}

/**
 * Where to go next in this attempt, or null when it is over: after an unreachable or unwilling host the next
 * address; after a policy refusal over one family an address of the other; after an answer about the message
 * nowhere.
 */
export function nextTarget(targets: readonly Target[], tried: readonly Tried[]): Target | null {
  const last = tried.at(-1);
  if (last?.ended === 'final' || tried.length >= MAX_ADDRESSES) return null;
  const sessions = tried.filter((one) => one.ended !== 'unreachable').length;
  if (sessions >= MAX_SESSIONS) return null;
  const left = targets.filter((target) => tried.every((one) => !sameTarget(one.target, target)));
  if (last?.ended !== 'policy-refusal') return left[0] ?? null;
  return left.find((target) => target.family !== last.target.family) ?? null;
}

function sameTarget(a: Target, b: Target): boolean {
  return a.address === b.address && a.host === b.host;
}

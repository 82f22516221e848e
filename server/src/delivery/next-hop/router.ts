import { isIP } from 'node:net';
import { daneDemand, tlsaName } from '@acuse/mail/routing/dane';
import { findRoute } from '@acuse/mail/routing/find-route';
import type { Target } from '@acuse/mail/routing/mx';
import type { MailResolver } from '@acuse/mail/routing/resolver';
import { planTls, type TlsPlan } from '@acuse/mail/routing/tls-plan';
import { requireWebPki, type TlsOptions } from '@acuse/mail/smtp/tls';
import { DEFAULT_POOL, type Smarthost, type SourcePool } from '../../config/config-values.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SourceName } from '../attempt/caps.ts';
import type { Hop, Route } from '../attempt/conversation.ts';
import type { Place } from '../attempt/destinations.ts';
import type { Prepared } from '../attempt/prepare.ts';
import type { TlsBy } from '../attempt/sessions.ts';
import { type ClaimedMessage, domainOf } from '../claim/claimed-message.ts';
import type { MtaStsPolicies } from './mta-sts-policies.ts';
import { keyOf, receiverOf, receiverOfHost } from './receivers.ts';
import { familiesOf, type SourcePools } from './source-pools.ts';

export interface Router {
  /** The one key of all mail (except the sandbox's); null: keys are recipients' domains. */
  readonly onlyKey: string | null;
  /** Concurrent conversations with our own relay or mailbox; null: adaptive. */
  readonly fixedWindow: number | null;
  /**
   * The window that the message waits for, and the hosts to try. `source`: one of the pool's; absent: the
   * first.
   */
  routeOf(
    item: ClaimedMessage,
    source?: string,
  ): Place & { find(message: Pick<Prepared, 'waivesTls'>): Promise<Route> };
  /** Addresses of ours that a pool's mail may leave from. Absent: the relay's or the mailbox's concern. */
  sourcesOf?(pool: string | null): readonly SourceName[];
  /** The receiver of a domain's mail for caps: a large one by its mail hosts. Absent: the domain. */
  receiverOf?(destination: string): Promise<string>;
  /** Its mail goes to the test mailbox, which no cap is about. */
  isSandboxed?(item: Pick<ClaimedMessage, 'senderAddress'>): boolean;
}

export interface MailboxTarget {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

/** Mail of this domain never leaves the machine; `target` null: no mailbox here. */
export interface SandboxSender {
  readonly domain: string;
  readonly target: MailboxTarget | null;
}

const MAILBOX_KEY = 'sandbox mailbox';
const RELAY_KEY = 'smarthost';
/** More gain nothing on one machine. */
const MAILBOX_WINDOW = 20;
const SMTP_PORT = 25;

export function sandboxRouter(mailbox: MailboxTarget): Router {
  const route = { key: MAILBOX_KEY, find: async () => mailboxRoute(mailbox) };
  return {
    ...{ onlyKey: MAILBOX_KEY, fixedWindow: MAILBOX_WINDOW },
    routeOf: () => route,
    isSandboxed: () => true,
  };
}

function mailboxRoute({ host, address, port }: MailboxTarget): Route {
  return { kind: 'hops', hops: [hop(host, address, port, { mode: 'opportunistic' }, 'opportunistic')] };
}

function hop(host: string, address: string, port: number, tls: TlsOptions, tlsBy: TlsBy): Hop {
  return { host, address, family: isIP(address) === 6 ? 6 : 4, port, tls, tlsBy };
}

/** Routes the sandbox's sender domain separately in every mode. */
function apart(sandbox: SandboxSender, rest: Router): Router {
  const find = async (): Promise<Route> => {
    if (sandbox.target !== null) return mailboxRoute(sandbox.target);
    const detail = `mail of ${sandbox.domain} goes to the sandbox mailbox only, and there is none in this mode`;
    return { kind: 'nowhere', fact: { kind: 'routing', problem: 'loop', detail } };
  };
  return {
    ...rest,
    isSandboxed: (item) => domainOf(item.senderAddress) === sandbox.domain,
    routeOf: (item, source) =>
      domainOf(item.senderAddress) === sandbox.domain
        ? { key: MAILBOX_KEY, find }
        : rest.routeOf(item, source),
  };
}

interface SmarthostDeps {
  readonly smarthost: Smarthost;
  readonly sandbox: SandboxSender;
  /** By the system's resolver, hosts file included. Rejects when there are none. */
  lookUpHost(host: string): Promise<readonly string[]>;
}

/** All mail through one relay. Its certificate must be valid for credentials or implicit TLS. */
export function smarthostRouter({ smarthost, sandbox, lookUpHost }: SmarthostDeps): Router {
  const { host, port, implicitTls, username, password } = smarthost;
  const auth = username === null || password === null ? null : { user: username, pass: password };

  async function find(): Promise<Route> {
    let addresses: readonly string[];
    try {
      addresses = isIP(host) === 0 ? await lookUpHost(host) : [host];
    } catch (error) {
      const detail = `smarthost ${host}: ${error instanceof Error ? error.message : 'look-up failed'}`;
      return { kind: 'nowhere', fact: { kind: 'routing', problem: 'servfail', detail } };
    }
    const hops = addresses.map((address) => {
      const local = /^(?:127\.|::1$)/.test(address);
      const made = hop(host, address, port, relayTls(implicitTls, auth !== null && !local), 'configuration');
      return auth === null ? made : { ...made, auth: { ...auth, allowClearText: local } };
    });
    return { kind: 'hops', hops };
  }

  const route = { key: RELAY_KEY, find };
  return apart(sandbox, { onlyKey: RELAY_KEY, fixedWindow: null, routeOf: () => route });
}

function relayTls(implicitTls: boolean, secret: boolean): TlsOptions {
  if (implicitTls) return { mode: 'implicit', verify: requireWebPki };
  return secret ? { mode: 'required', verify: requireWebPki } : { mode: 'opportunistic' };
}

interface DirectDeps {
  readonly resolver: MailResolver;
  readonly mtaSts: MtaStsPolicies;
  readonly clock: Clock;
  readonly random: () => number;
  /** Our identities. A domain whose best MX is one of our names is a mail loop. */
  readonly pools: SourcePools;
  mayReach(address: string): boolean;
  readonly sandbox: SandboxSender;
  /** 25, except in test networks. */
  readonly port?: number;
}

/** Direct delivery by MX, implicit MX or null MX; TLS by DANE, MTA-STS or opportunistic. */
export function directRouter(deps: DirectDeps): Router {
  return apart(deps.sandbox, {
    onlyKey: null,
    fixedWindow: null,
    sourcesOf: deps.pools.find,
    receiverOf: (destination) => findReceiver(deps.resolver, destination),
    routeOf({ destination, sourcePool }, key) {
      const sources = deps.pools.find(sourcePool);
      const source = sources.find((each) => each.key === key) ?? sources[0];
      const find = async (message: Pick<Prepared, 'waivesTls'>) =>
        source === undefined ? withoutPool(sourcePool) : findDirect(deps, source, destination, message);
      return { key: destination, pool: source?.key ?? sourcePool ?? DEFAULT_POOL, find };
    },
  });
}

/** Finds it by the domain's name, else by its best mail host. */
async function findReceiver(resolver: MailResolver, domain: string): Promise<string> {
  const known = receiverOf(domain);
  if (known !== null) return keyOf(known);
  const mx = await resolver.lookup(domain, 'MX');
  if (mx.kind !== 'found') return domain;
  const best = mx.records.reduce((a, b) => (b.preference < a.preference ? b : a));
  const receiver = receiverOfHost(best.exchange);
  return receiver === null ? domain : keyOf(receiver);
}

/** Never from another pool's addresses, whose reputation is somebody else's. */
function withoutPool(name: string | null): Route {
  const detail = `this delivery process has no source pool "${name}" in ACUSE_SOURCE_POOLS`;
  return { kind: 'nowhere', fact: { kind: 'fault', detail } };
}

/** MTA-STS and DANE do not count for mail whose sender waives TLS. RFC 8689 §5 */
async function findDirect(
  deps: DirectDeps,
  pool: SourcePool,
  domain: string,
  { waivesTls }: Pick<Prepared, 'waivesTls'>,
): Promise<Route> {
  const { resolver, random: rng, pools, mayReach, port = SMTP_PORT } = deps;
  const isSelf = (host: string) => pools.ehloNames.has(host);
  const families = familiesOf(pool);
  const [route, mtaSts] = await Promise.all([
    findRoute(domain, { resolver, rng, isSelf, families, mayReach }),
    waivesTls ? null : deps.mtaSts.policyFor(domain),
  ]);
  if (route.kind === 'problem') {
    return { kind: 'nowhere', fact: { kind: 'routing', problem: route.problem, detail: route.detail } };
  }
  const plans = new Map<string, TlsPlan>();
  for (const host of new Set(route.targets.map((target) => target.host))) {
    const of = route.addresses.find((each) => each.host === host);
    const authenticated =
      !waivesTls && route.hosts.authenticated && isAuthenticated(of?.v4) && isAuthenticated(of?.v6);
    const tlsa = authenticated ? await resolver.lookup(tlsaName(host, SMTP_PORT), 'TLSA') : NO_TLSA;
    const dane = daneDemand(tlsa, authenticated);
    const names = route.hosts.implicit ? [host] : [host, domain];
    plans.set(host, planTls({ host, names, dane, mtaSts, now: () => deps.clock.now() }));
  }
  return usable(route.targets, plans, pool, port);
}

const NO_TLSA = { kind: 'nodata', authenticated: false } as const;

/** A validated denial counts, too. */
function isAuthenticated(lookup: { kind: string; authenticated?: boolean } | undefined): boolean {
  return lookup?.authenticated === true;
}

/** Hosts that the policy allows; if none is left, mail waits. */
function usable(
  targets: readonly Target[],
  plans: ReadonlyMap<string, TlsPlan>,
  pool: SourcePool,
  port: number,
): Route {
  const hops: Hop[] = [];
  let skipped: Extract<TlsPlan, { kind: 'skip' }> | null = null;
  for (const target of targets) {
    const plan = plans.get(target.host)!;
    const localAddress = target.family === 4 ? pool.v4 : pool.v6;
    const source = { ehloName: pool.ehloName, localAddress };
    if (plan.kind === 'use') hops.push({ ...target, port, tls: plan.tls, tlsBy: plan.by, source });
    else skipped ??= plan;
  }
  if (hops.length > 0 || skipped === null) return { kind: 'hops', hops };
  return { kind: 'nowhere', fact: { kind: 'routing', problem: skipped.problem, detail: skipped.detail } };
}

import { randomBytes } from 'node:crypto';
import { verifierKey } from '@acuse/evidence/verifier-key';
import type { generateDkimKey } from '@acuse/mail/dkim-keys';
import { createKeyCheck, type KeyCheck } from '../accounts/api-keys/key-check.ts';
import { createDkimKeyMaker } from '../accounts/domains/dkim-keys.ts';
import { createDomainDns } from '../accounts/domains/dns.ts';
import { createReadSenderDomain } from '../accounts/domains/lookup.ts';
import type { VerifyDeps } from '../accounts/domains/verify.ts';
import { createIsApprovedSender } from '../accounts/senders/approved.ts';
import { SANDBOX_DOMAIN } from '../accounts/suppressions/sandbox-addresses.ts';
import { createTemplates, type Templates } from '../accounts/templates/templates.ts';
import { createTenantSettings } from '../accounts/tenants/settings.ts';
import { environment } from '../config/config.ts';
import type { Config } from '../config/config-type.ts';
import { enqueue } from '../delivery/claim/enqueue-store.ts';
import { createArchivedContents } from '../evidence/archive/archived-contents.ts';
import { openArchivePlace } from '../evidence/archive/open-archive.ts';
import type { Anchor } from '../evidence/log/anchor/anchor.ts';
import { listEndedLogs } from '../evidence/log/end-store.ts';
import { type LogSigner, openLog } from '../evidence/log/log-key.ts';
import type { Mirror } from '../evidence/log/mirror/mirror.ts';
import { createMirroring, type Mirroring } from '../evidence/log/mirror/mirroring.ts';
import { openAnchor, openMirror } from '../evidence/log/open-outside.ts';
import { createGroupPromises, createPromises } from '../evidence/log/promise.ts';
import { pinnedSecondKey } from '../evidence/log/second-key.ts';
import { createLogState, type LogState, logStopped } from '../evidence/log/stop.ts';
import { openWitnesses, type Witnesses } from '../evidence/log/witnesses.ts';
import { ownPolicy } from '../evidence/own-policy.ts';
import { type Authorities, createAuthorities } from '../evidence/stamp/authorities.ts';
import { createInProcessSealer } from '../evidence/stamp/in-process.ts';
import { openAuthorities } from '../evidence/stamp/open-authorities.ts';
import { type Accept, createAccept } from '../messages/accept.ts';
import type { ArchivedContents } from '../messages/archived-contents.ts';
import { createIngestMetrics } from '../messages/metrics.ts';
import type { Handover } from '../messages/prepared.ts';
import type { PromiseOf } from '../messages/present.ts';
import { createReplyAddress, createReversePath } from '../messages/reverse-path.ts';
import { tracedAccept } from '../messages/traced.ts';
import type { PasswordCost } from '../people/sessions/passwords.ts';
import { readSystemDomain } from '../people/system-mail/sender-domain.ts';
import {
  fixedCertificate,
  type ServedCertificate,
  watchedCertificate,
} from '../platform/certificate-files.ts';
import { type Changes, createChanges } from '../platform/database/changes.ts';
import type { DbAndClock } from '../platform/database/db.ts';
import { addDatabaseMetrics } from '../platform/database/db-metrics.ts';
import { loadInstallationSecret } from '../platform/database/installation-secrets-store.ts';
import type { Log } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createOutboundHttp, type OutboundHttp } from '../platform/network/outbound-http.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { sha256 } from '../platform/sha256.ts';
import { createThreads, type Threads } from '../platform/threads/threads.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import { makeMailboxCertificate } from '../sandbox/mailbox-certificate.ts';
import { openTimeStampAuthority, type TimeStampAuthority } from '../sandbox/time-stamp-authority.ts';
import { createEndpoints, type Endpoints } from '../webhooks/endpoints.ts';
import type { WebhookHandover } from '../webhooks/handover.ts';
import { findRecovery, type Recovery } from './recovery.ts';

export interface Services extends DbAndClock {
  readonly config: Config;
  readonly log: Log;
  readonly secrets: SecretBox;
  readonly anchor: Anchor | null;
  readonly mirror: Mirroring | null;
  /** The log's mirror; null: none is configured. */
  readonly mirrorStored: Mirror | null;
  /** Null: this database is what outsiders have seen. */
  readonly recovery: Recovery | null;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
  readonly changes: Changes;
  readonly threads: Threads;
  readonly archived: ArchivedContents;
  readonly keyCheck: KeyCheck;
  readonly logSigner: LogSigner;
  readonly logState: LogState;
  /** Logs end only while no process runs. */
  readonly logEnds: readonly string[];
  readonly ownPolicy: string;
  readonly promiseOf: PromiseOf;
  readonly witnesses: Witnesses;
  readonly authority: TimeStampAuthority;
  readonly authorityNames: readonly string[] | null;
  /** The authorities that seal: the configured ones, or the embedded one. */
  readonly authorities: Authorities;
  readonly domains: VerifyDeps;
  readonly templates: Templates;
  readonly outbound: OutboundHttp;
  readonly endpoints: Endpoints;
  readonly certificate: ServedCertificate;
  readonly returnPathSecret: Uint8Array;
  /** Makes what agents' programs are given: docs/decisions/0068. */
  readonly grantSecret: Uint8Array;
  /** For domains without their own bounce host. */
  readonly returnPathHost: string;
  readonly passwordCost?: PasswordCost;
}

interface ServicesDeps extends DbAndClock {
  config: Config;
  log: Log;
  secrets: SecretBox;
  metrics: Metrics;
  tracing: Tracing | null;
  /** For tests. */
  passwordCost?: PasswordCost;
  /** For tests: in place of new DKIM keys. */
  generateDkimKey?: typeof generateDkimKey;
}

const RETURN_PATH_SECRET_BYTES = 32;
const GRANT_SECRET_BYTES = 32;

/** Throws if a store cannot keep them. */
async function openOutside(config: Config): Promise<Pick<Services, 'anchor' | 'mirrorStored'>> {
  const anchor = openAnchor(config);
  const mirrorStored = openMirror(config);
  if (config.roles.includes('sealing')) {
    await anchor?.prepare?.();
    await mirrorStored?.prepare?.();
  }
  return { anchor, mirrorStored };
}

export async function createServices(deps: ServicesDeps): Promise<Services> {
  const { config, db, clock, log, secrets, metrics } = deps;
  const changes = createChanges(db);
  addDatabaseMetrics(metrics, db);
  const threads = createThreads({ metrics });
  const sandbox = config.delivery === 'sandbox';
  const logSigner = await openLog(deps, config.logOrigin, sandbox);
  const ended = await db.transact((tx) => listEndedLogs(tx));
  const { anchor, mirrorStored } = await openOutside(config);
  const logState = await createLogState({ db, changes }, logSigner.logId);
  const returnPathHost = sandbox ? `bounce.${SANDBOX_DOMAIN}` : config.hostname;
  const outbound = createOutboundHttp({
    allowLoopback: config.webhookAllowPrivate,
    networks: config.webhookNetworks ?? [],
    // With real delivery accounts must not reach local services.
    listedOnly: !sandbox,
    dnsServers: config.dnsServers ?? [],
  });
  const authority = await openTimeStampAuthority(deps);
  const sealers =
    config.authorities === null
      ? [createInProcessSealer(authority, randomBytes)]
      : openAuthorities(config.authorities, (name) => environment[name]);
  const witnesses = openWitnesses(config.witnessesFile, [logSigner.key]);
  return {
    ...deps,
    changes,
    threads,
    archived: createArchivedContents({ db, threads, open: (place) => openArchivePlace(config, place) }),
    keyCheck: createKeyCheck({
      db,
      clock,
      changes,
      keyRate: { perSecond: config.keyRate, burst: config.keyBurst },
      sandbox,
      onError: (error) => log.warn({ err: error }, 'the last use of API keys could not be recorded'),
    }),
    logSigner,
    logState,
    logEnds: ended.map(({ note }) => note),
    ownPolicy: ownPolicy(
      [
        { key: logSigner.key, second: logSigner.second?.key ?? null },
        ...ended.map((log) => ({
          key: verifierKey(log.origin, log.publicKey, sha256),
          second: pinnedSecondKey(log),
        })),
      ],
      sealers,
      witnesses,
    ),
    anchor,
    mirror: mirrorStored === null ? null : createMirroring(db, mirrorStored),
    mirrorStored,
    recovery: await findRecovery({ ...deps, journalFolder: config.journal }, anchor),
    promiseOf: createPromises(logSigner, logState.isStopped),
    witnesses,
    authority,
    authorityNames: config.authorities === null ? null : sealers.map(({ name }) => name),
    authorities: createAuthorities({ db, clock, log, sealers }),
    domains: {
      db,
      clock,
      changes,
      dkimKeys: createDkimKeyMaker(secrets, deps.generateDkimKey),
      dns: createDomainDns({ servers: config.dnsServers ?? [] }),
      returnPathHost: sandbox ? null : config.hostname,
    },
    templates: createTemplates({ db, clock, changes, threads }),
    outbound,
    endpoints: createEndpoints({ db, clock, secrets, http: outbound }),
    certificate: openCertificate(deps, authority),
    returnPathSecret: await loadInstallationSecret(deps, 'return_path', () =>
      randomBytes(RETURN_PATH_SECRET_BYTES),
    ),
    returnPathHost,
    grantSecret: await loadInstallationSecret(deps, 'grants', () => randomBytes(GRANT_SECRET_BYTES)),
  };
}

/** The operator's, or our own: opportunistic TLS accepts any, and a sandbox's CA is in its file. */
function openCertificate(
  { config, clock, log }: ServicesDeps,
  { root }: TimeStampAuthority,
): ServedCertificate {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile } = config;
  if (certFile !== null && keyFile !== null) return watchedCertificate({ certFile, keyFile }, { log });
  return fixedCertificate(makeMailboxCertificate(root, config.hostname, clock.now()));
}

export interface AfterCommit {
  /** `waits`: some messages are queued for delivery. */
  onAccepted(waits: boolean): void;
  /** Null: no delivery in this process, or not yet. */
  handover(): Handover | null;
  webhooks(): WebhookHandover | null;
}

/** `publicUrl`: known once the process listens. */
export function createIngest(
  services: Services,
  after: AfterCommit,
  publicUrl: () => string = () => services.config.publicUrl,
): Accept {
  const { config, db, clock, changes, logSigner, promiseOf, templates, threads, tracing } = services;
  const metrics = createIngestMetrics(services.metrics);
  const accept = createAccept({
    enqueue,
    db,
    clock,
    threads,
    sha256,
    logOrigin: logSigner.origin,
    logId: logSigner.logId,
    sandbox: config.delivery === 'sandbox',
    promiseOf,
    promisesOf: createGroupPromises(logSigner),
    flushes: config.ingestFlushes,
    tenant: createTenantSettings({ db, clock, changes }),
    senderDomain: createReadSenderDomain({ db, clock, changes }),
    isApprovedSender: createIsApprovedSender({ db, clock, changes }),
    reversePathOf: createReversePath(services.returnPathSecret, services.returnPathHost),
    replyAddressOf: createReplyAddress(services.returnPathSecret, services.returnPathHost),
    renderTemplate: templates.render,
    systemDomain: () => readSystemDomain(db, config),
    acknowledgementUrl: (token) => (config.systemSender === null ? null : `${publicUrl()}/a/${token}`),
    requireLog() {
      if (services.logState.isStopped()) throw logStopped();
    },
    ...after,
    onFlush: metrics.onFlush,
  });
  const counted = metrics.counted(accept);
  return tracing === null ? counted : tracedAccept(counted, tracing, clock);
}

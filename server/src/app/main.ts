import type { AddressInfo } from 'node:net';
import packageFacts from '../../package.json' with { type: 'json' };
import { environment } from '../config/config.ts';
import type { Config } from '../config/config-type.ts';
import { fetchGivenKeys, openMasterKeys } from '../config/master-key.ts';
import type { Role } from '../config/role-duties.ts';
import { tracingSettings } from '../config/tracing-variables.ts';
import { freeMessages } from '../delivery/claim/claim-store.ts';
import { freeSeals } from '../evidence/bundle/seal-store.ts';
import { watchLogState } from '../evidence/log/stop.ts';
import { freeWitnesses } from '../evidence/log/witness-store.ts';
import { freeStamps } from '../evidence/stamp/stamp-store.ts';
import type { SubmissionPorts } from '../messages/submission/listeners.ts';
import { openConfiguredDb } from '../operate/restore/open-db.ts';
import { createDatabaseClock, type DatabaseClock } from '../platform/database/database-clock.ts';
import type { Tx } from '../platform/database/db.ts';
import { createMetricsServer, METRICS_PATH } from '../platform/http/metrics-server.ts';
import { addJournalMetrics } from '../platform/journal/journal-metrics.ts';
import { createHeldLog, type Log } from '../platform/logger.ts';
import { createMetrics } from '../platform/metrics.ts';
import { listening } from '../platform/network/listen.ts';
import { ownCommand } from '../platform/own-command.ts';
import { enterProcesses } from '../platform/processes.ts';
import { createIdleBackOff } from '../platform/queue/idle-back-off.ts';
import { createSecretBox } from '../platform/secrets.ts';
import { watchDroppedLines } from '../platform/standard-error.ts';
import { openTracing } from '../platform/tracing/open-tracing.ts';
import { linkForSandboxOwner, openSandboxAccount } from '../sandbox/account.ts';
import { removeSandboxFile, type SandboxFile, writeSandboxFile } from '../sandbox/sandbox-file.ts';
import { awaitWebBuild } from '../surfaces/web-files/build-state.ts';
import { freeDeliveries } from '../webhooks/queue-store.ts';
import { createAdminSide, type OpenAdmin } from './admin-side.ts';
import { endContradicted, watchAnchor, watchMarks, watchRelease } from './anchor-watch.ts';
import { type BannerFacts, banner } from './banner.ts';
import { watchEpoch, watchEpochsOf } from './epoch-watch.ts';
import { createHttpSide } from './http-side.ts';
import { keepCertificate } from './keep-certificate.ts';
import { watchMirror } from './mirror-watch.ts';
import { type OnStop, openDatabase } from './open-database.ts';
import { loopbackOf, publicUrlAt } from './public-url.ts';
import { createRoleForward, forwardsRoleMail } from './role-forward.ts';
import { type OpenSubmission, openSubmission } from './roles.ts';
import { watchRoles } from './roles-watch.ts';
import { findManager } from './service-manager.ts';
import { createIngest, createServices, type Services } from './services.ts';
import { readStartWarnings } from './start-warnings.ts';
import { addStateMetrics } from './state-metrics.ts';
import { startWorkers } from './workers.ts';

/** Grace for current work (ms). */
const STOP_GRACE_MS = 4_000;
/** Then the process exits, whatever hangs. */
const STOP_LIMIT_MS = 9_500;
/** The banner waits for the web build in a source tree (ms). */
const WEB_BUILD_WAIT_MS = 30_000;

export interface RunningServer {
  readonly port: number;
  readonly sandbox: SandboxFile | null;
  readonly admin: OpenAdmin | null;
  readonly warnings: readonly string[];
  readonly database: string;
  readonly recovering: boolean;
  readonly authorities: readonly string[] | null;
  readonly ports: BannerFacts['ports'];
  /** From now on /readyz answers 503; everything else goes on. */
  retire(): void;
  /** Stops claiming, finishes or returns work, closes. Never throws. */
  stop(): Promise<void>;
}

/** Until SIGTERM or SIGINT; a second signal exits at once. */
export async function runServer(config: Config): Promise<void> {
  const { log, release, isForPeople } = createHeldLog(config.logLevel, config.logFormat);
  const manager = findManager();
  const stop = watchStop(config, log, release);
  const server = await startServer(config, log, stop.signal).catch((error) => {
    release();
    stop.unlimited();
    if (error === stop.signal.reason) return null;
    throw error;
  });
  if (server === null)
    return log.info({ signal: await stop.asked }, 'stopped before the database was available');
  const unbuilt = config.roles.includes('portal') ? await awaitWebBuild(WEB_BUILD_WAIT_MS) : null;
  process.stdout.write(
    banner({
      version: packageFacts.version,
      baseUrl: publicUrlAt(config, server.port),
      ownUrl: `http://${loopbackOf(config.host)}:${server.port}`,
      command: ownCommand(environment),
      managed: manager !== null,
      roles: config.roles,
      delivery: config.delivery === 'sandbox' ? 'sandbox: to the built-in mailbox only' : config.delivery,
      dataDir: config.dataDir,
      ...server,
      warnings: [
        ...server.warnings,
        ...(unbuilt === null ? [] : [`The portal answers 503 because ${unbuilt}.`]),
      ],
    }),
  );
  release();
  for (const warning of server.warnings) log.warn({}, warning);
  await manager?.tellReady().catch((error) => log.warn({ err: error }, 'systemd was not told of the start'));
  // IdleBackOff on a terminal.
  log[isForPeople ? 'debug' : 'info']({ signal: await stop.asked }, 'stopping');
  server.retire();
  await new Promise((resolve) => setTimeout(resolve, config.stopDelayMs));
  await server.stop();
  stop.unlimited();
  log.info({}, 'stopped');
}

interface Stop {
  readonly asked: Promise<NodeJS.Signals>;
  /** Aborted by the first signal, with its name. */
  readonly signal: AbortSignal;
  /** All work is done: the limit would only end what was left open by mistake. */
  unlimited(): void;
}

/**
 * The first signal begins a stop, also of a start, which ends in time whatever hangs; a second exits at once.
 */
function watchStop({ stopDelayMs }: Config, log: Log, release: () => void): Stop {
  const stopped = new AbortController();
  const afterMs = stopDelayMs + STOP_LIMIT_MS;
  let limit: NodeJS.Timeout | undefined;
  const asked = nextSignal();
  asked.then((name) => {
    for (const each of SIGNALS) process.once(each, () => process.exit(1));
    limit = setTimeout(() => {
      release();
      log.fatal({ afterMs }, 'did not stop in time: work in progress is cut off');
      process.exit(1);
    }, afterMs);
    stopped.abort(name);
  });
  return { asked, signal: stopped.signal, unlimited: () => void limit?.unref() };
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const name of SIGNALS) process.once(name, resolve);
  });
}

/**
 * Starts everything in order; after a failure, stops what was started. `stopped` aborts the wait for the
 * database.
 */
export async function startServer(config: Config, log: Log, stopped?: AbortSignal): Promise<RunningServer> {
  const cleanups: { name: string; run(): Promise<unknown> }[] = [];
  const onStop = (name: string, run: () => Promise<unknown>) => void cleanups.unshift({ name, run });
  async function stop(): Promise<void> {
    for (const { name, run } of cleanups.splice(0)) {
      await run().catch((error) => log.error({ err: error, part: name }, 'a component did not stop cleanly'));
    }
  }
  try {
    const database = await openDatabase(config, log, onStop, stopped);
    const services = await openServices(config, log, database.url, onStop);
    const warnings = await readStartWarnings(services);
    if (config.delivery !== 'sandbox' && removeSandboxFile(config.dataDir))
      log.info({}, 'sandbox.json was removed because its key is valid only in the sandbox');
    const started = await startRoles(services, onStop);
    const recovering = services.recovery !== null;
    const { authorityNames: authorities } = services;
    return { ...started, warnings, database: database.shown, recovering, authorities, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openServices(
  config: Config,
  log: Log,
  databaseUrl: string,
  onStop: OnStop,
): Promise<Services> {
  const secrets = createSecretBox(openMasterKeys(await fetchGivenKeys(config), config.dataDir));
  if (config.logAnchor !== null) watchEpochsOf(config);
  const { db, journal } = openConfiguredDb(config, {
    connectionString: databaseUrl,
    poolSize: config.databasePool,
    applicationName: 'acuse',
    secrets,
    clock: { now: () => clock.now() },
    onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
    onJournalError: (error, waiting) => log.warn({ err: error, waiting }, 'the journal could not be written'),
    onJournalDropped: (of, dropped) =>
      log.error(
        { of, dropped },
        'the journal was away for too long: its oldest waiting entries were dropped. After a restore to before them, acuse restore release says how many',
      ),
  });
  onStop('database connections', db.close);
  await db.checkSessions();
  const clock: DatabaseClock = createDatabaseClock({ db, log });
  const metrics = createMetrics({ log, process: true });
  const dropped = metrics.counter(
    'acuse_log_lines_dropped_total',
    'Lines of the log dropped because nobody read them.',
  );
  watchDroppedLines((lines) => dropped.inc(lines));
  if (journal !== null) {
    addJournalMetrics(metrics, journal);
    onStop('journal', journal.close);
  }
  await clock.read();
  clock.start();
  onStop('clock', async () => clock.stop());
  const { version } = packageFacts;
  const tracing = await openTracing(tracingSettings(config), { log, metrics, version });
  if (tracing !== null) onStop('traces', tracing.close);
  const services = await createServices({ config, db, clock, log, secrets, metrics, tracing });
  onStop('threads', services.threads.stop);
  const epoch = await watchEpoch(services);
  epoch?.start();
  onStop('watch over the epoch', async () => epoch?.stop());
  onStop('outbound connections', services.outbound.close);
  onStop('last uses of keys', services.keyCheck.close);
  onStop('certificate', async () => services.certificate.close());
  const renewal = keepCertificate(services);
  renewal?.start();
  onStop('renewal of the certificate', async () => renewal?.stop());
  return services;
}

async function startRoles(
  services: Services,
  onStop: OnStop,
): Promise<Pick<RunningServer, 'port' | 'ports' | 'sandbox' | 'admin' | 'retire'>> {
  const { config } = services;
  let workers: Awaited<ReturnType<typeof startWorkers>> | null = null;
  const runs = (role: Role) => config.roles.includes(role);
  const accept =
    runs('api') || runs('portal') || runs('submission') || forwardsRoleMail(config)
      ? createIngest(
          services,
          {
            onAccepted: (waits) => workers?.wake.accepted(waits),
            handover: () => workers?.handover ?? null,
            webhooks: () => workers?.webhooks ?? null,
          },
          () => http.portal.sessions.publicUrl(),
        )
      : null;
  const http = createHttpSide({
    services,
    accept: runs('api') || runs('portal') ? accept : null,
    wakeDelivery: () => workers?.wake.delivery(),
    wakeWebhooks: () => workers?.wake.webhooks(),
  });
  addStateMetrics(services, http.health);
  let submission: OpenSubmission | null = null;
  onStop('http and workers', async () => {
    http.health.retire();
    const closed = Promise.all([http.close(STOP_GRACE_MS), submission?.stop(STOP_GRACE_MS)]);
    const answered = closed.then(() => accept?.drain());
    const ended = await Promise.allSettled([answered, workers?.stop(STOP_GRACE_MS)]);
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  });
  await openMetrics(services, onStop);
  await listening('ACUSE_PORT', () => http.app.listen({ host: config.host, port: config.port }));
  const { port } = http.app.server.address() as AddressInfo;
  const admin = runs('admin') ? await openAdmin(services, port, onStop) : null;
  // In recovery it holds nothing, and must not block a release.
  const own =
    services.recovery === null
      ? await enterProcesses({ ...services, roles: config.roles, freeLeases })
      : null;
  if (own !== null) onStop('place among the processes', own.leave);
  const onContradicted = endContradicted(services);
  const idleBackOff = createIdleBackOff(services.clock, own?.alone ?? (() => false));
  const forward = accept === null ? null : createRoleForward(services, accept);
  workers = await startWorkers({ ...services, idleBackOff, onContradicted, forward });
  const watch = watchAnchor(services, onContradicted);
  watch?.start();
  onStop('watch over the anchor', async () => watch?.stop());
  const logState = watchLogState(services.logState, (error) =>
    services.log.warn({ err: error }, 'cannot read whether the log continues; trying again'),
  );
  logState.start();
  onStop('watch over the log', async () => logState.stop());
  const mirrored = watchMirror(services);
  mirrored?.start();
  onStop('watch over the mirror', async () => mirrored?.stop());
  const marks = await watchMarks(services, onContradicted);
  marks?.start();
  onStop('marks in the journal', async () => marks?.stop());
  const released = watchRelease(services);
  released?.start();
  onStop('watch for a release', async () => released?.stop());
  if (runs('submission') && accept !== null && services.recovery === null)
    submission = await openSubmission(services, accept);
  const sandbox =
    config.delivery === 'sandbox' && workers.mailboxPort !== null
      ? await openSandbox(services, { ...workers, port, mailboxPort: workers.mailboxPort, submission, admin })
      : null;
  const lacking = own === null ? null : watchRoles(services);
  lacking?.start();
  onStop('look for missing roles', async () => lacking?.stop());
  http.health.ready();
  const ports = portsOf(services, workers.returnPathPort, submission);
  return { port, ports, sandbox, admin, retire: http.health.retire };
}

function portsOf(
  { config, recovery }: Services,
  returnPathPort: number,
  submission: SubmissionPorts | null,
): BannerFacts['ports'] {
  const takesBounces = config.roles.includes('return-path') && recovery === null;
  return {
    submission: submission?.port ?? null,
    submissions: submission?.tlsPort ?? null,
    returnPath: takesBounces ? returnPathPort : null,
  };
}

async function openMetrics({ config, log, metrics }: Services, onStop: OnStop): Promise<void> {
  const { metricsHost: host, metricsPort } = config;
  if (metricsPort === null) return;
  const server = createMetricsServer(metrics);
  onStop('metrics', server.stop);
  const port = await listening('ACUSE_METRICS_PORT', () => server.start(host, metricsPort));
  log.info({ url: `http://${loopbackOf(host)}:${port}${METRICS_PATH}` }, 'metrics are served');
}

async function openAdmin(services: Services, port: number, onStop: OnStop): Promise<OpenAdmin> {
  const side = createAdminSide(services, publicUrlAt(services.config, port));
  onStop('admin console', () => side.close(STOP_GRACE_MS));
  return listening('ACUSE_ADMIN_PORT', () => side.start());
}

async function openSandbox(
  services: Services,
  ports: {
    port: number;
    mailboxPort: number;
    returnPathPort: number;
    submission: SubmissionPorts | null;
    admin: OpenAdmin | null;
  },
): Promise<SandboxFile> {
  const { port, mailboxPort, returnPathPort, submission, admin } = ports;
  const { config, secrets, authority, logSigner } = services;
  const account = await openSandboxAccount({ ...services.domains, secrets });
  const baseUrl = publicUrlAt(config, port);
  const portalSignIn = config.roles.includes('portal')
    ? await linkForSandboxOwner(services, account.tenantId, baseUrl)
    : null;
  return writeSandboxFile(
    config.dataDir,
    {
      base_url: baseUrl,
      api_key: account.apiKey,
      tenant_id: account.tenantId,
      smtp_port: mailboxPort,
      submission_port: submission?.port ?? null,
      submissions_port: submission?.tlsPort ?? null,
      return_path_port: returnPathPort,
      mailbox_url: `${baseUrl}/sandbox/mailbox`,
      portal_url: portalSignIn === null ? null : `${baseUrl}/portal`,
      portal_sign_in: portalSignIn,
      admin_url: admin?.url ?? null,
      admin_sign_in: admin?.signIn ?? null,
      log_key: logSigner.vkey,
    },
    authority.rootPem,
  );
}

/** No process can hold a lease now, so frees them; those of checks, renewals and sweeps end soon. */
async function freeLeases(tx: Tx): Promise<void> {
  await freeMessages(tx);
  await freeDeliveries(tx);
  await freeStamps(tx);
  await freeWitnesses(tx);
  await freeSeals(tx);
}

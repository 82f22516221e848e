import { createDomainMetrics } from '../accounts/domains/metrics.ts';
import { createDomainChecks } from '../accounts/domains/recheck.ts';
import { createAddingUp } from '../accounts/rates/adding-up.ts';
import { SANDBOX_DOMAIN } from '../accounts/suppressions/sandbox-addresses.ts';
import { createAcknowledgementExpiry } from '../delivery/acknowledgement/expire.ts';
import { enqueue } from '../delivery/claim/enqueue-store.ts';
import { createDeliveryMetrics, type DeliveryMetrics } from '../delivery/metrics.ts';
import { openResolver, openRouter } from '../delivery/next-hop/open-router.ts';
import { requireOwnAddresses } from '../delivery/next-hop/source-pools.ts';
import { createReturnPathListener } from '../delivery/return-path/return-path-listener.ts';
import type { RoleMailDeps } from '../delivery/return-path/role-mail.ts';
import { traceAttempt } from '../delivery/traced.ts';
import { createDelivery, type Delivery } from '../delivery/worker.ts';
import type { AnchorContradicts } from '../evidence/log/anchor/publish.ts';
import { createWitnessing } from '../evidence/log/witnessing.ts';
import { addSealingMetrics } from '../evidence/metrics.ts';
import { createRenewals } from '../evidence/renewal/renewals.ts';
import { createSealing } from '../evidence/sealing.ts';
import type { Handover } from '../messages/prepared.ts';
import { createScheduler } from '../messages/schedule.ts';
import { createRetentionMetrics } from '../operate/retention/metrics.ts';
import { createRetention } from '../operate/retention/worker.ts';
import { listening } from '../platform/network/listen.ts';
import type { IdleBackOff } from '../platform/queue/idle-back-off.ts';
import type { SmtpListener } from '../platform/smtp/smtp-listener.ts';
import { createActBack, createLooks } from '../sandbox/act-back.ts';
import { isAnswer } from '../sandbox/behaviour.ts';
import { createSandboxMailbox } from '../sandbox/mailbox.ts';
import { makeMailboxCertificate } from '../sandbox/mailbox-certificate.ts';
import { createReplyBack } from '../sandbox/reply-back.ts';
import { sandboxKeys } from '../sandbox/reply-key.ts';
import { createReportBack } from '../sandbox/report-back.ts';
import { recordAnswer } from '../surfaces/acknowledge/answer.ts';
import { createWebhookDelivery, type WebhookDelivery } from '../webhooks/deliver.ts';
import type { WebhookHandover } from '../webhooks/handover.ts';
import { createWebhookMetrics, type WebhookMetrics } from '../webhooks/metrics.ts';
import { traceWebhooks } from '../webhooks/traced.ts';
import type { Services } from './services.ts';

/** Background work of a process's roles. */
export interface Workers {
  readonly mailboxPort: number | null;
  readonly returnPathPort: number;
  readonly wake: { accepted(waits: boolean): void; delivery(): void; webhooks(): void };
  readonly handover: Handover | null;
  readonly webhooks: WebhookHandover | null;
  stop(graceMs: number): Promise<void>;
}

interface Worker {
  start(): void;
  wake?(): void;
  stop(graceMs?: number): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/** All or none. */
export async function startWorkers(services: WorkerServices): Promise<Workers> {
  const { config } = services;
  if (services.recovery !== null) return noWorkers(config.returnPathPort);
  const runs = (role: (typeof config.roles)[number]) => config.roles.includes(role);
  const delivered =
    runs('delivery') || runs('return-path') ? createDeliveryMetrics(services.metrics, services) : null;
  if (runs('delivery')) await requireOwnAddresses(config.sourcePools ?? []);
  const webhooks = runs('webhooks') ? createWebhooks(services) : null;
  const listeners = await openListeners(services, delivered, webhooks);
  try {
    return runWorkers(services, delivered, webhooks, listeners);
  } catch (error) {
    await listeners.stop();
    throw error;
  }
}

function noWorkers(returnPathPort: number): Workers {
  return {
    mailboxPort: null,
    returnPathPort,
    handover: null,
    webhooks: null,
    wake: { accepted() {}, delivery() {}, webhooks() {} },
    async stop() {},
  };
}

interface Listeners {
  readonly mailboxPort: number | null;
  readonly returnPathPort: number;
  stop(): Promise<void>;
}

type WorkerServices = Services & {
  readonly idleBackOff: IdleBackOff;
  readonly onContradicted: (error: AnchorContradicts) => void;
  readonly forward: NonNullable<RoleMailDeps['forward']> | null;
};

function runWorkers(
  services: WorkerServices,
  delivered: DeliveryMetrics | null,
  webhooks: WebhookDelivery | null,
  { mailboxPort, returnPathPort, stop: stopListeners }: Listeners,
): Workers {
  const { config } = services;
  const runs = (role: (typeof config.roles)[number]) => config.roles.includes(role);
  const told = webhooks?.handover ?? null;
  const sealing = runs('sealing') ? createSealingWorker(services, told) : null;
  const delivery = runs('delivery') ? createDeliveryWorker(services, mailboxPort, delivered, told) : null;
  const checks =
    runs('delivery') && config.delivery !== 'sandbox'
      ? createDomainChecks({ ...services.domains, log: services.log })
      : null;
  if (runs('delivery')) createDomainMetrics(services.metrics, services);
  const witnessing =
    runs('sealing') && services.witnesses.list.length > 0
      ? createWitnessing({ ...services, random: Math.random })
      : null;
  const renewals = runs('sealing')
    ? createRenewals({ ...services, renewBeforeMs: config.renewBeforeMs })
    : null;
  const retention = runs('delivery')
    ? createRetention({
        ...services,
        plainDays: config.plainRetentionDays,
        recordDays: config.plainRecordDays,
        ...createRetentionMetrics(services.metrics, services),
      })
    : null;
  const scheduler = runs('delivery')
    ? createScheduler({
        ...services,
        enqueue,
        webhooks: told,
        onQueued: () => delivery?.wake(),
      })
    : null;
  const addingUp = runs('delivery') ? createAddingUp(services) : null;
  const expiry = runs('delivery') ? createAcknowledgementExpiry({ ...services, webhooks: told }) : null;
  const workers: Worker[] = [
    delivery,
    sealing,
    renewals,
    witnessing,
    webhooks,
    checks,
    retention,
    scheduler,
    addingUp,
    expiry,
  ].filter((worker) => worker !== null);
  for (const worker of workers) worker.start();
  return {
    mailboxPort,
    returnPathPort,
    handover: delivery?.handover ?? null,
    webhooks: told,
    wake: {
      accepted(waits) {
        if (waits) delivery?.wake();
      },
      delivery: () => delivery?.wake(),
      webhooks: () => webhooks?.wake(),
    },
    async stop(graceMs) {
      await Promise.all(workers.map((worker) => worker.stop(graceMs)));
      await stopListeners();
    },
  };
}

/** All or none listen. */
async function openListeners(
  services: WorkerServices,
  metrics: DeliveryMetrics | null,
  webhooks: WebhookDelivery | null,
): Promise<Listeners> {
  const { config } = services;
  const opened: { stop(): Promise<void> }[] = [];
  async function open(variable: string, listener: Pick<SmtpListener, 'start' | 'stop'>): Promise<number> {
    const port = await listening(variable, () => listener.start());
    opened.unshift(listener);
    return port;
  }
  async function stop(): Promise<void> {
    for (const listener of opened) await listener.stop();
  }
  try {
    const returnPathPort = config.roles.includes('return-path')
      ? await open('ACUSE_RETURN_PATH_PORT', createReturnPath(services, metrics, webhooks))
      : config.returnPathPort;
    const mailboxPort =
      config.delivery === 'sandbox' && config.roles.includes('delivery')
        ? await open('ACUSE_SANDBOX_SMTP_PORT', createMailbox(services, returnPathPort, webhooks))
        : null;
    return { mailboxPort, returnPathPort, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createReturnPath(
  services: WorkerServices,
  metrics: DeliveryMetrics | null,
  webhooks: WebhookDelivery | null,
): SmtpListener {
  const { config, db, clock, log, threads, returnPathSecret, returnPathHost, certificate } = services;
  const listener = createReturnPathListener({
    db,
    clock,
    log,
    threads,
    returnPathSecrets: [returnPathSecret],
    hostname: config.hostname,
    hosts: [config.hostname.toLowerCase(), returnPathHost.toLowerCase()],
    host: config.returnPathHost,
    port: config.returnPathPort,
    certificate: certificate.current,
    webhooks: webhooks?.handover ?? null,
    // A sandbox asks nobody outside.
    ...(config.delivery === 'sandbox'
      ? { resolver: null, replyKeys: sandboxKeys(returnPathSecret) }
      : { resolver: openResolver(config, clock) }),
    ...(services.forward !== null && { forward: services.forward }),
    ...(metrics === null ? {} : { onOutcome: metrics.onReturned }),
  });
  certificate.onChange(listener.renew);
  return listener;
}

function createMailbox(
  { config, db, clock, log, returnPathHost, returnPathSecret, authority }: Services,
  returnPathPort: number,
  webhooks: WebhookDelivery | null,
): Pick<SmtpListener, 'start' | 'stop'> {
  const returnPath = { host: returnPathHost, address: config.returnPathHost, port: returnPathPort };
  const report = createReportBack({ clock, log, returnPath });
  const answering = { db, clock, log, wakeWebhooks: () => webhooks?.wake() };
  const act = createActBack({
    ...{ db, clock, log, returnPathSecret },
    record: (asked, made) => recordAnswer(answering, asked, made),
    reply: createReplyBack({ clock, log, returnPath, returnPathSecret }),
  });
  const looks = createLooks(act, log);
  const mailbox = createSandboxMailbox({
    db,
    clock,
    log,
    host: LOOPBACK,
    port: config.sandboxSmtpPort,
    hostname: config.hostname,
    certificate: makeMailboxCertificate(authority.root, SANDBOX_DOMAIN, clock.now()),
    react: (reaction, mail, signal) =>
      isAnswer(reaction) ? act.react(reaction, mail, signal) : report(reaction, mail, signal),
  });
  return {
    async start() {
      const port = await mailbox.start();
      looks.start();
      return port;
    },
    async stop() {
      await looks.stop();
      await mailbox.stop();
    },
  };
}

function createDeliveryWorker(
  services: WorkerServices,
  mailboxPort: number | null,
  metrics: DeliveryMetrics | null,
  webhooks: WebhookHandover | null,
): Delivery {
  const { config } = services;
  const port = mailboxPort ?? config.sandboxSmtpPort;
  const router = openRouter(config, {
    ...services,
    random: Math.random,
    sandboxDomain: SANDBOX_DOMAIN,
    mailbox: config.delivery === 'sandbox' ? { host: SANDBOX_DOMAIN, address: LOOPBACK, port } : null,
  });
  return createDelivery({
    ...services,
    random: Math.random,
    hostname: config.hostname,
    sandbox: config.delivery === 'sandbox',
    router,
    webhooks,
    ...(metrics === null ? {} : { onRecorded: deliveryRecords(metrics, services) }),
  });
}

function createWebhooks(services: WorkerServices): WebhookDelivery {
  return createWebhookDelivery({
    ...services,
    onRecorded: webhookRecords(services),
    http: services.outbound,
    sandbox: services.config.delivery === 'sandbox',
    random: Math.random,
  });
}

function deliveryRecords(
  { onRecorded }: DeliveryMetrics,
  { tracing }: Services,
): DeliveryMetrics['onRecorded'] {
  if (tracing === null) return onRecorded;
  return (result, recorded) => {
    onRecorded(result, recorded);
    traceAttempt(tracing, result);
  };
}

function webhookRecords(services: Services): WebhookMetrics['onRecorded'] {
  const { onRecorded } = createWebhookMetrics(services.metrics, services);
  const { tracing } = services;
  if (tracing === null) return onRecorded;
  return (group) => {
    onRecorded(group);
    traceWebhooks(tracing, group);
  };
}

function createSealingWorker(services: WorkerServices, webhooks: WebhookHandover | null): Worker {
  const { config } = services;
  const { logId } = services.logSigner;
  addSealingMetrics(services.metrics, { ...services, logId, development: config.authorities === null });
  return createSealing({
    ...services,
    // Sandbox batches need no real constancia; a sandbox never seals real ones.
    stampedLogs: { ownLogId: logId, sandbox: config.delivery === 'sandbox' },
    webhooks,
    sealIntervalMs: config.sealIntervalMs,
    random: Math.random,
  });
}

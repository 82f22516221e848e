import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acmeOrderOf } from '../../app/keep-certificate.ts';
import { startServer } from '../../app/main.ts';
import { loopbackOf } from '../../app/public-url.ts';
import { tryPorts } from '../../app/try-ports.ts';
import { ConfigError, type Environment, loadConfig } from '../../config/config.ts';
import type { Config } from '../../config/config-type.ts';
import { changeSettings, readSettingsFile, settingsPath } from '../../config/settings-file.ts';
import { ChallengeFailed, isFileDue, orderCertificate } from '../../platform/acme.ts';
import { makeDataFolder } from '../../platform/database/data-folder.ts';
import { readIfThere, replaceDurably } from '../../platform/durable-file.ts';
import { createLog } from '../../platform/logger.ts';
import { isPublicAddress } from '../../platform/network/public-address.ts';
import { ownCommand } from '../../platform/own-command.ts';
import { awaitWebBuild } from '../../surfaces/web-files/build-state.ts';
import { CommandError, EXIT, type ExitCode } from '../command.ts';
import { countOf, describe, look, sumOf } from '../doctor.ts';
import { facts, type Lines, type Output, wrapped } from '../output.ts';
import { type CommandServices, withServices } from '../services.ts';
import { untilStopped } from '../stop-signal.ts';
import type { Asker } from './ask.ts';
import { runDialogue } from './dialogue.ts';
import { ensureAccount, ensureDomain, ensureOperator, lookAgain, withKey } from './install.ts';
import { type Access, accessLines, outsideLine, outsideNames } from './last-lines.ts';
import { lookAt, ownAddresses } from './probes.ts';
import type { Answers } from './question.ts';
import { DNS_WAIT, QUESTIONS } from './questions.ts';
import { answersToKeep, settingsOf, standingAnswers } from './settings-of.ts';
import { sendTestMessage } from './test-message.ts';
import { zoneFile } from './zone.ts';

const DNS_LOOK_EVERY_MS = 5_000;
/** Answers that are no settings: the defaults of the next run. */
const KEPT_ANSWERS = 'setup.json';
const ZONE_FILE = 'dns.zone';
/** Where other mail servers bring bounces to. */
const SMTP_PORT = 25;
/** In a source tree the web applications are built during the start; until then doctor finds no console. */
const WEB_BUILD_WAIT_MS = 30_000;

export interface Answered {
  readonly answers: Answers;
  readonly config: Config;
  /** With the settings that were just answered. */
  readonly env: Environment;
  readonly settings: { readonly path: string; readonly text: string };
  /** Variables in force that are not written. */
  readonly outside: readonly string[];
}

/** Everything that can be refused is refused here, while nothing is changed. */
export async function askAll(asker: Asker, env: Environment, out: Output): Promise<Answered> {
  const path = settingsPath(env);
  const written = readSettingsFile(path);
  const { dnsServers, dataDir } = loadConfig(pick(env, ['ACUSE_DNS_SERVERS', 'ACUSE_DATA_DIR'])).config;
  await requireStopped(env);
  const kept = join(dataDir, KEPT_ANSWERS);
  const earlier = JSON.parse(readIfThere(kept) ?? '{}') as Answers;
  const standing = standingAnswers(env, earlier);
  const probing = {
    dnsServers: dnsServers ?? [],
    bouncePort: Number(env['ACUSE_RETURN_PATH_PORT'] ?? SMTP_PORT),
    bounceHost: env['ACUSE_RETURN_PATH_HOST'],
    secretOf: (name: string) => env[name],
    now: () => new Date(),
  };
  const say = (line: string) =>
    void (out.json
      ? out.note(line)
      : sayLines(out, forTerminal(line.split('\n').map((each) => `  ${each}`))));
  if (asker.again) say('Type back to answer the previous question again');
  if (Object.keys(earlier).length > 0) say(`${path} stands: Enter keeps what it says`);
  const { answers, problems } = await runDialogue(QUESTIONS, {
    standing,
    fixed: fixedAnswers(env, written),
    found: { hostname: defaultHostname(), addresses: ownAddresses(isPublicAddress) },
    ask: asker.ask,
    again: asker.again,
    review: (known) => asker.review(known, path),
    look: (id, value, known) => lookAt(id, value, known, probing),
    say,
  });
  const wrong = [...asker.misread, ...problems];
  if (wrong.length > 0) throw new ConfigError(wrong, 'these answers cannot be used');
  const changes = settingsOf(answers, dataDir);
  const fixed = new Set(fixedNames(env, written));
  const open = Object.fromEntries(Object.entries(changes).filter(([name]) => !fixed.has(name)));
  const settings = { path, text: changeSettings(readIfThere(path) ?? '', open, HEADING) };
  const settled = { ...env, ...asEnvironment(open) };
  const { config } = loadConfig(settled);
  await tryPorts(config);
  return { answers, config, env: settled, settings, outside: outsideNames([...fixed]) };
}

/** Before somebody answers two dozen questions: what runs holds the ports and the data folder. */
async function requireStopped(env: Environment): Promise<void> {
  let config: Config;
  try {
    config = loadConfig(env).config;
  } catch (error) {
    // Setup asks for what is missing.
    if (error instanceof ConfigError) return;
    throw error;
  }
  await tryPorts(config).catch((error: Error) => {
    if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'EADDRINUSE') return;
    throw new CommandError(
      EXIT.unavailable,
      'running',
      `setup runs the service itself: stop the one that runs (systemctl stop acuse, or Ctrl-C where it was started): ${error.message}`,
    );
  });
}

const HEADING = `Settings of Acuse, written by acuse setup, which may be run again. The environment wins over them.
acuse config lists every variable. After a change: start the service again.`;

/** Settings of the environment without the file's. */
function fixedNames(env: Environment, written: Environment): string[] {
  return Object.keys(env).filter((name) => (env[name] ?? '').trim() !== '' && env[name] !== written[name]);
}

function fixedAnswers(env: Environment, written: Environment): Answers {
  const names = new Set(fixedNames(env, written));
  const fixed = QUESTIONS.filter(({ variable }) => variable !== undefined && names.has(variable));
  return Object.fromEntries(fixed.map(({ id, variable }) => [id, env[variable!]!.trim()]));
}

function asEnvironment(changes: Readonly<Record<string, string | null>>): Environment {
  return Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value ?? undefined]));
}

function pick(env: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}

function defaultHostname(): string | null {
  const { hostname } = loadConfig({}).config;
  return hostname.includes('.') ? hostname : null;
}

export async function install(
  { answers, config, env, settings, outside }: Answered,
  out: Output,
): Promise<ExitCode> {
  makeDataFolder(config.dataDir);
  await haveCertificate(config, answers, out);
  for (const folder of [config.logAnchor, config.logMirror, config.journal, config.backupFolder])
    if (folder !== null && !folder.startsWith('s3://')) mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceDurably(settings.path, settings.text);
  replaceDurably(join(config.dataDir, KEPT_ANSWERS), `${JSON.stringify(answersToKeep(answers), null, 2)}\n`);
  out.progress(`✓ ${settings.path} is written`);
  out.progress('starting the service …');
  const server = await startServer(config, createLog('error'));
  try {
    const baseUrl = `http://${loopbackOf(config.host)}:${server.port}`;
    return await untilStopped(async (stop) => {
      const work = fill({ answers, config, env, outside, baseUrl, out });
      work.catch(() => {});
      return Promise.race([work, stoppedBy(stop, env)]);
    });
  } finally {
    await server.stop();
  }
}

function stoppedBy(stop: AbortSignal, env: Environment): Promise<never> {
  return new Promise((_resolve, reject) => {
    stop.addEventListener('abort', () =>
      reject(
        new CommandError(
          EXIT.failed,
          'stopped',
          `stopped: the settings are written; ${ownCommand(env)} setup goes on from here`,
        ),
      ),
    );
  });
}

async function haveCertificate(config: Config, answers: Answers, out: Output): Promise<void> {
  const order = acmeOrderOf(config);
  if (order === null) return;
  if (!isFileDue(order, new Date())) return out.progress(`✓ ${order.certFile} stands`);
  out.progress(`ordering a certificate for ${order.hostname} from ${order.directory} …`);
  try {
    await orderCertificate({ ...order, email: answers['operator']! });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(
      EXIT.failed,
      'no_certificate',
      `no certificate: ${why}. The settings are not written${cause instanceof ChallengeFailed ? `. The authority must reach this machine as http://${order.hostname}/ on port 80` : ''}`,
      { cause },
    );
  }
  out.progress(`✓ ${order.certFile}; the service renews it`);
}

interface Filling {
  readonly answers: Answers;
  readonly config: Config;
  readonly env: Environment;
  readonly outside: readonly string[];
  readonly baseUrl: string;
  readonly out: Output;
}

async function fill(filling: Filling): Promise<ExitCode> {
  const { answers, env, out, outside } = filling;
  return withServices(env, 'setup', async (services) => {
    const made = await makeAccount(services, filling);
    try {
      return await prove(services, filling, made);
    } finally {
      if (outside.length > 0) sayLines(out, ['', outsideLine(outside)]);
      sayLines(out, ['', accessLines(made.access, answers, ownCommand(env))]);
    }
  });
}

interface Made {
  readonly tenantId: string;
  readonly domainId: string;
  readonly access: Access;
  /** The result for `--json`. */
  readonly said: Readonly<Record<string, string | null>>;
}

async function makeAccount(services: CommandServices, filling: Filling): Promise<Made> {
  const { answers, config, env, out } = filling;
  const { operator = '', account = '', domain = '', address } = answers;
  const operatorLink = await ensureOperator(services, operator);
  out.progress(operatorLink === null ? `✓ ${operator} is an operator` : `✓ operator ${operator}`);
  const { tenantId, made } = await ensureAccount(services, account, operator);
  out.progress(`✓ account ${account} (${tenantId})${made === null ? ' stands' : ''}`);
  const access: Access = { operatorLink, tenantId, made };
  const zone = join(config.dataDir, ZONE_FILE);
  try {
    const { id, records } = await ensureDomain(services, tenantId, domain);
    const { hostname } = config;
    const text = zoneFile({ hostname, addresses: address?.split(',') ?? [], domain, records });
    replaceDurably(zone, text, 0o644);
    sayLines(out, [
      '',
      `DNS records to publish, also in ${zone}:`,
      ...text.split('\n').map((line) => `  ${line}`),
    ]);
    const said = {
      operator_link: operatorLink,
      tenant_id: tenantId,
      api_key: made?.key ?? null,
      portal_link: made?.ownerLink ?? null,
      zone,
    };
    return { tenantId, domainId: id, access, said };
  } finally {
    // Whoever stops setup while it waits for the DNS has seen them.
    if (operatorLink !== null || made !== null)
      sayLines(out, [...accessLines(access, answers, ownCommand(env)), '']);
  }
}

/** Waits for the DNS, checks everything, and has a sealed message arrive. */
async function prove(services: CommandServices, filling: Filling, made: Made): Promise<ExitCode> {
  const { answers, config, env, baseUrl, out } = filling;
  const { tenantId, said } = made;
  const { domain = '', from = '', mailbox: to = '', dns_wait: wait = '0s' } = answers;
  const seen = await awaitRecords(
    () => lookAgain(services, tenantId, made.domainId),
    DNS_WAIT.parse(wait)!,
    out,
  );
  const isVerified = seen.status === 'verified';
  await awaitWebBuild(WEB_BUILD_WAIT_MS);
  const { findings } = await look(env, { domain: isVerified ? domain : null, connect: null, stamp: false });
  const open = findings.filter(({ status }) => status !== 'ok');
  sayLines(out, [...open.map(describe).flatMap(forTerminal), `acuse doctor: ${sumOf(countOf(findings))}`]);
  if (seen.readiness !== 'ready') {
    const answer = { ready: false, missing: seen.failing_records, ...said, findings: open };
    out.answer(answer, () => [
      '',
      `Not in the DNS yet: ${seen.failing_records.join(', ')}`,
      `Publish the records, then run ${ownCommand(env)} setup again: it goes on from here.`,
    ]);
    return EXIT.failed;
  }
  const { hostname, dataDir } = config;
  const say = (line: string) => out.progress(line);
  const sent = await withKey(services, tenantId, (key) =>
    sendTestMessage({ baseUrl, key, from, to, hostname, dataDir, say }),
  );
  const answer = { ready: true, message_id: sent.id, bundle: sent.bundle, ...said, findings: open };
  out.answer(answer, () => closing({ ...sent, dataDir }, to, ownCommand(env)));
  return EXIT.ok;
}

type Seen = Awaited<ReturnType<typeof lookAgain>>;

/** Looks until the domain is ready, or the time is over. */
async function awaitRecords(ask: () => Promise<Seen>, waitMs: number, out: Output): Promise<Seen> {
  const until = performance.now() + waitMs;
  let told = '';
  for (;;) {
    const seen = await ask();
    if (seen.readiness === 'ready') {
      out.progress(`✓ ${seen.name} is ready: its records are in the DNS`);
      return seen;
    }
    if (performance.now() >= until) return seen;
    const missing = seen.failing_records.join(', ');
    if (missing !== told) out.progress(`waiting for ${missing} … (Ctrl-C: go on later)`);
    told = missing;
    await sleep(DNS_LOOK_EVERY_MS);
  }
}

function forTerminal(lines: Lines): string[] {
  return typeof lines === 'string' ? wrapped(lines, process.stdout.columns) : lines.flatMap(forTerminal);
}

function sayLines(out: Output, lines: Lines): void {
  if (typeof lines === 'string') out.progress(lines);
  else for (const each of lines) sayLines(out, each);
}

function closing(
  { id, bundle, dataDir }: { id: string; bundle: string; dataDir: string },
  mailbox: string,
  command: string,
): Lines {
  return [
    '',
    `${mailbox} has a sealed message, and its proof verifies.`,
    '',
    facts([
      ['message', id],
      ['proof', bundle],
      ['keep', `a copy of ${join(dataDir, 'master.key')}, apart from backups: it opens all secrets`],
      ['next', `${command} serve, or systemctl start acuse, runs the service with these settings`],
    ]),
  ];
}

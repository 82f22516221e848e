import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, loadConfig } from '../config/config.ts';
import type { Config } from '../config/config-type.ts';
import { LISTENER_PORTS } from '../config/config-variables.ts';
import { breakOneByOne, count, isHeld, type Outcome, type Row } from '../operate/chaos/chaos.ts';
import { BALLAST, FAULT_NAMES, FAULTS, type FaultName } from '../operate/chaos/faults.ts';
import { startGuard } from '../operate/chaos/guard.ts';
import { addressOf, type DatabaseProxy, startProxy, through } from '../operate/chaos/proxy.ts';
import { createService } from '../operate/chaos/service.ts';
import { readSandboxFile } from './api-client.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { type Output, table } from './output.ts';
import { refuseRunning } from './refuse-running.ts';
import { withServices } from './services.ts';
import { untilStopped } from './stop-signal.ts';

const SECONDS_DEFAULT = 10;
const SECONDS_MAX = 120;

const command = defineCommand({
  name: 'chaos',
  summary: 'Breaks a staging set-up in one way after another while clients send, and counts what is lost',
  details: `Starts the service of these settings itself, in the sandbox alone, and makes each fault in turn: ${FAULT_NAMES.map((name) => `${name} (${FAULTS[name].doc})`).join('; ')}. What cannot be made here is refused with its reason. Each fault ends by itself, and is undone when the command ends, also after Ctrl-C and kill -9. Exit code 0: nothing was lost and nothing sent twice, but for what a server was deciding on when the service was killed; 1: not so.`,
  options: {
    staging: { type: 'boolean', doc: 'nobody needs this installation meanwhile (required)' },
    fault: {
      type: 'string',
      value: '<fault>',
      doc: `one of ${FAULT_NAMES.join(', ')}; repeatable (default: all)`,
      multiple: true,
    },
    seconds: {
      type: 'string',
      value: '<number>',
      doc: `for each fault (default: ${SECONDS_DEFAULT}; at most ${SECONDS_MAX})`,
    },
    node: {
      type: 'string',
      value: '<process id>',
      doc: 'a database server on this machine, for lost-node: the postmaster of a worker or a standby',
    },
  },
  examples: ['acuse chaos --staging --fault freeze --seconds 5'],
  async run({ options, out, env }) {
    if (options.staging !== true) throw usage('chaos breaks this installation for minutes: say --staging');
    const faults = readFaults(options.fault);
    const ms = wholeNumber('--seconds', options.seconds ?? String(SECONDS_DEFAULT), SECONDS_MAX) * 1_000;
    const node =
      options.node === undefined ? null : wholeNumber('--node', options.node, Number.MAX_SAFE_INTEGER);
    const { config } = loadConfig(env);
    requireSandbox(config);
    await withServices(env, 'chaos', refuseRunning);
    const outcome = await untilStopped((stop) => run({ env, config, faults, ms, node }, out, stop));
    const held = isHeld(outcome);
    out.answer({ held, ...outcome }, () => [
      table(
        ['fault', 'accepted', 'not accepted at once', 'longest without a 2xx (s)'],
        lines(outcome),
        'nothing was tried',
      ),
      ...outcome.rows.flatMap((row) => ('refused' in row ? describe(row) : [])),
      '',
      `accepted ${outcome.accepted}, never answered ${outcome.unanswered}, lost ${outcome.lost.length}, stored twice ${outcome.twice.length}, sent again ${outcome.sentAgain.length}`,
      ...[
        ...outcome.lost.map((key) => `lost: ${key}`),
        ...outcome.twice.map((key) => `stored twice: ${key}`),
        ...outcome.sentAgain.map((key) => `sent again: ${key}`),
      ].slice(0, 20),
    ]);
    return held ? EXIT.ok : EXIT.failed;
  },
});

export const chaosCommands: readonly Command[] = [command];

interface Plan {
  readonly env: Environment;
  readonly config: Config;
  readonly faults: readonly FaultName[];
  readonly ms: number;
  readonly node: number | null;
}

async function run(
  { env, config, faults, ms, node }: Plan,
  out: Output,
  stop: AbortSignal,
): Promise<Outcome> {
  const { dataDir } = config;
  // Left by a run that ended with the machine.
  rmSync(join(dataDir, BALLAST), { force: true });
  const guard = startGuard();
  let proxy: DatabaseProxy | null = null;
  try {
    proxy = config.databaseUrl === null ? null : await startProxy(placeOf(config.databaseUrl));
    const service = createService({
      program: process.argv[1]!,
      guard,
      clockFile: join(dataDir, 'acuse-chaos.clock'),
      env: {
        ...env,
        ...Object.fromEntries(LISTENER_PORTS.map((name) => [name, '0'])),
        ...{ ACUSE_KEY_RATE: '0', ACUSE_ADDRESS_RATE: '0', ACUSE_LOG_LEVEL: 'debug' },
        ...(proxy !== null && { DATABASE_URL: through(config.databaseUrl!, proxy.port) }),
      },
    });
    try {
      if (!(await service.start(stop)))
        throw new CommandError(
          EXIT.unavailable,
          'unavailable',
          `the service did not start: ${service.lastLog().at(-1) ?? 'it said nothing'}`,
        );
      const sandbox = readSandboxFile(dataDir);
      if (sandbox === null)
        throw new CommandError(EXIT.unavailable, 'unavailable', `${dataDir} has no sandbox.json`);
      const options = {
        ...{ faults, ms, key: sandbox.api_key, tenantId: sandbox.tenant_id },
        run: `chaos-${randomBytes(4).toString('hex')}`,
      };
      const world = { service, guard, dataDir, proxy, node };
      const broken = await breakOneByOne(world, options, (row) => out.progress(describe(row)), stop);
      await service.start(new AbortController().signal);
      return await withServices(env, 'chaos', ({ db }) => count(db, options, broken));
    } finally {
      await service.stop();
    }
  } finally {
    await proxy?.stop();
    rmSync(join(dataDir, 'acuse-chaos.clock'), { force: true });
    guard.note({ stopped: [], started: [], files: [] });
    await guard.end();
  }
}

function placeOf(url: string) {
  const place = addressOf(url);
  if (place !== null) return place;
  throw usage(
    'chaos puts itself between the service and one database: name one host in DATABASE_URL, not several',
  );
}

function requireSandbox({ delivery }: Config): void {
  if (delivery === 'sandbox') return;
  throw usage(
    'chaos sends mail again and again: it runs in the sandbox alone, where none leaves the machine (ACUSE_DELIVERY=sandbox)',
  );
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw usage(`${name} takes a whole number from 1 to ${max}, not "${text}"`);
}

function readFaults(given: readonly string[]): readonly FaultName[] {
  const unknown = given.find((name) => !FAULT_NAMES.some((known) => known === name));
  if (unknown !== undefined) throw usage(`--fault takes ${FAULT_NAMES.join(', ')}, not "${unknown}"`);
  return given.length === 0 ? FAULT_NAMES : FAULT_NAMES.filter((name) => given.includes(name));
}

function lines({ rows }: Outcome): string[][] {
  return rows.flatMap((row) =>
    'refused' in row ? [] : [[row.fault, String(row.accepted), String(row.again), seconds(row.gapMs)]],
  );
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);

function describe(row: Row): string {
  return 'refused' in row
    ? `${row.fault}: not made: ${row.refused}`
    : `${row.fault}: ${row.accepted} accepted, ${seconds(row.gapMs)} s without a 2xx`;
}

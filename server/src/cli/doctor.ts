import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readOwnableDomain } from '../accounts/domains/name.ts';
import { type Environment, loadConfig } from '../config/config.ts';
import { type DoctorOptions, examine } from '../operate/doctor/examine.ts';
import { type Finding, type FindingStatus, fault, ok } from '../operate/doctor/finding.ts';
import { GROUPS } from '../operate/doctor/groups.ts';
import { metricsOf } from '../operate/doctor/metrics.ts';
import { openQuestions } from '../operate/doctor/probes.ts';
import { systemClock } from '../platform/clock.ts';
import type { Db } from '../platform/database/db.ts';
import { asStarted } from './api-client.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import type { Lines } from './output.ts';
import { withServices } from './services.ts';

/** A person waits (database time-out). */
const DATABASE_WAIT = '3s';

const doctor = defineCommand({
  name: 'doctor',
  summary: 'Checks this installation for problems and says how to repair them',
  details:
    'DNS of this server and of the sending domains, ports, certificates, clocks, PostgreSQL, disk, time-stamping authorities and the queue. Changes nothing. Run it as the login, and with the environment, of the service. Exit code 0: no problem (there may be warnings); 1: a problem; 3: the database cannot be reached, the rest was checked.',
  options: {
    domain: {
      type: 'string',
      value: '<name>',
      doc: 'only this sending domain (default: all that are verified)',
    },
    connect: {
      type: 'string',
      value: '<host>',
      doc: 'a mail server to connect to (and send nothing), which shows whether mail can leave',
    },
    stamp: {
      type: 'boolean',
      doc: 'have each authority stamp something: tries it fully, and can cost money',
    },
    'metrics-file': {
      type: 'string',
      value: '<path>',
      doc: "write the findings as metrics, for the textfile collector of Prometheus' node_exporter; its name ends in .prom",
    },
  },
  examples: [
    'acuse doctor',
    'acuse doctor --domain example.com --json',
    'acuse doctor --metrics-file acuse.prom',
  ],
  async run({ options, out, env }) {
    const wanted: DoctorOptions = {
      domain: options.domain === undefined ? null : domainOf(options.domain),
      connect: options.connect ?? null,
      stamp: options.stamp,
    };
    const { findings, reached } = await look(env, wanted);
    const counts = countOf(findings);
    if (options['metrics-file'] !== undefined) await writeMetrics(options['metrics-file'], findings);
    out.answer({ counts, findings }, () => [...findings.map(describe), '', sumOf(counts)]);
    if (!reached) return EXIT.unavailable;
    return counts.problem > 0 ? EXIT.failed : EXIT.ok;
  },
});

export const doctorCommands: readonly Command[] = [doctor];

function domainOf(text: string): string {
  const reading = readOwnableDomain(text);
  if (reading.ok) return reading.name;
  throw usage(`--domain: ${reading.problem}`);
}

/** With the database if available. */
export async function look(
  env: Environment,
  options: DoctorOptions,
): Promise<{ findings: Finding[]; reached: boolean }> {
  const { config: written, warnings } = loadConfig(env);
  const config = asStarted(written);
  const settings = warnings.map((text) => {
    const [name = '', ...said] = text.split(': ');
    return fault('warning', ['configuration', name], said.join(': '), 'acuse config lists the variables');
  });
  const clock = systemClock;
  const run = (db: Db | null) =>
    examine(
      GROUPS,
      { config, db, clock, ...openQuestions(config, clock), secretOf: (name) => env[name] },
      options,
    );
  let reached = false;
  try {
    const findings = await withServices(
      { ...env, ACUSE_DB_WAIT: DATABASE_WAIT },
      'doctor',
      async ({ db }) => {
        reached = true;
        return [
          ok('database.reach', 'PostgreSQL', 'Answers, and is migrated to this version.'),
          ...(await run(db)),
        ];
      },
    );
    return { findings: [...settings, ...findings], reached };
  } catch (error) {
    if (reached) throw error;
    const fix = 'check DATABASE_URL or ACUSE_DATA_DIR, and that PostgreSQL runs; acuse db migrate --dry-run';
    const away = fault('problem', ['database.reach', 'PostgreSQL'], (error as Error).message, fix);
    return { findings: [...settings, away, ...(await run(null))], reached };
  }
}

/** Atomic: a collector may read at any time. */
async function writeMetrics(path: string, findings: readonly Finding[]): Promise<void> {
  if (!path.endsWith('.prom')) throw usage('--metrics-file: node_exporter reads names that end in .prom');
  const text = await metricsOf(findings, systemClock.now());
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    writeFileSync(draft, text, { mode: 0o644 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CommandError(EXIT.usage, 'not_writable', `--metrics-file: ${(error as Error).message}`);
  }
}

type Counts = Record<FindingStatus, number>;

export function countOf(findings: readonly Finding[]): Counts {
  const counts: Counts = { ok: 0, advice: 0, warning: 0, problem: 0, unknown: 0 };
  for (const { status } of findings) counts[status]++;
  return counts;
}

const SIGNS: Readonly<Record<FindingStatus, string>> = {
  ok: '✓',
  advice: '·',
  warning: '!',
  problem: '✗',
  unknown: '?',
};

export function describe({ check, about, status, detail, fix }: Finding): Lines {
  const line = `${SIGNS[status]} ${check}  ${about}: ${detail}`;
  return fix === null ? line : [line, `    ${fix}`];
}

export function sumOf({ ok: good, advice, warning, problem, unknown }: Counts): string {
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  return `${counted(problem, 'problem')}, ${counted(warning, 'warning')}, ${counted(advice, 'suggestion')}, ${unknown} unknown, ${good} ok`;
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fault } from '../../src/operate/doctor/finding.ts';
import { metricsOf } from '../../src/operate/doctor/metrics.ts';
import { mail, sendRaw } from '../messages/submission/harness.ts';
import { everythingWatched } from '../support/everything-watched.ts';
import { type Exposition, readExposition } from '../support/exposition.ts';
import { createProcesses } from '../support/process.ts';
import { openRawSmtp } from '../support/raw-smtp.ts';

/** The dashboard and the alerts of deploy/ against `/metrics` of a running service and of `acuse doctor`. */
const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url));

/** Labels that Prometheus adds itself. */
const ADDED_METRICS = ['up'];
const ADDED_LABELS = ['job', 'instance', 'le'];
const WORDS = new Set(['by', 'or', 'and', 'unless', 'vector']);

const processes = createProcesses();
let seen: Exposition;

/** Samples that a metric with labels does not have at first. */
const COUNTED = [
  'acuse_authority_failures',
  'acuse_delivery_attempts_total',
  'acuse_delivery_queue_messages',
  'acuse_messages_refused_total',
  'acuse_return_path_mails_total',
  'acuse_submission_logins_total',
  'acuse_submission_messages_total',
  'acuse_webhook_queue_deliveries',
];

beforeAll(async () => {
  const service = await processes.start({
    env: {
      ...everythingWatched(processes.folder()),
      ACUSE_LOG_ANCHOR: processes.folder(),
      ACUSE_LOG_MIRROR: processes.folder(),
      ACUSE_JOURNAL: processes.folder(),
    },
  });
  await service.send({ to: 'async-bounced@sandbox.test' });
  await service.send({ from: 'a@elsewhere.test' });
  const smtp = await openRawSmtp(service.sandbox.submissions_port!, { tls: true });
  await smtp.command('EHLO client.test');
  await smtp.login(service.sandbox.api_key);
  await sendRaw(smtp, mail());
  smtp.end();
  seen = await eventually(async () => {
    const now = readExposition(await (await fetch(`${service.baseUrl}/metrics`)).text());
    return COUNTED.every((each) => now.samples.some(({ name }) => name === each)) && now;
  });
  const found = fault('problem', ['dns.spf', 'mail.example'], 'No SPF record.', 'publish it');
  const told = readExposition(await metricsOf([found], new Date()));
  seen = { ...seen, samples: [...seen.samples, ...told.samples] };
});
afterAll(() => processes.end());

interface Asked {
  readonly metric: string;
  /** Labels that it is selected by. */
  readonly labels: readonly string[];
}

/** The metrics of an expression with their labels, and the labels that anything is grouped by. */
function readExpression(expression: string): { asked: Asked[]; grouped: string[] } {
  const grouped: string[] = [];
  const bare = expression
    .replace(/"[^"]*"/g, '""')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\bby \(([^)]*)\)/g, (_, names: string) => {
      grouped.push(...names.split(/,\s*/));
      return '';
    });
  const asked = [...bare.matchAll(/\b([a-z_]\w*)(?:\{([^}]*)\})?(?!\w|\s*\()/g)].map(
    ([, metric, labels = '']) => ({
      metric: metric!,
      labels: [...labels.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => label!),
    }),
  );
  return { asked: asked.filter(({ metric }) => !WORDS.has(metric)), grouped };
}

/** The fault in an expression; empty: nothing. */
function findBreaches(expression: string): string[] {
  const { asked, grouped } = readExpression(expression);
  if (asked.length === 0) return ['names no metric'];
  const known = asked.map(({ metric }) => [metric, labelsOf(metric)] as const);
  const missing = known
    .filter(([metric, labels]) => labels === null && !isDeclared(metric))
    .map(([metric]) => `no metric ${metric}`);
  const unlabelled = asked.flatMap(({ metric, labels }) =>
    labels
      .filter((label) => labelsOf(metric)?.has(label) === false)
      .map((label) => `${metric} has no ${label}`),
  );
  const ungrouped = grouped.filter(
    (label) => !known.some(([metric, labels]) => labels?.has(label) ?? isDeclared(metric)),
  );
  return [...missing, ...unlabelled, ...ungrouped.map((label) => `nothing has ${label}`)];
}

/** Labels of the samples of a metric; null when there are none. */
function labelsOf(metric: string): ReadonlySet<string> | null {
  if (ADDED_METRICS.includes(metric)) return new Set(ADDED_LABELS);
  const samples = seen.samples.filter(({ name }) => name === metric);
  if (samples.length === 0) return null;
  return new Set([...ADDED_LABELS, ...samples.flatMap(({ labels }) => Object.keys(labels))]);
}

/** Nothing of the kind happened in the test: its labels cannot be checked, its name can. */
function isDeclared(metric: string): boolean {
  return seen.types.has(metric.replace(/_(?:bucket|sum|count)$/, '')) || seen.types.has(metric);
}

test('what finds breaches finds them', () => {
  expect(findBreaches('max(rate(acuse_nothing_total{job=~"x"}[5m])) > 2')).toStrictEqual([
    'no metric acuse_nothing_total',
  ]);
  expect(
    findBreaches('sum by (effect, le) (acuse_db_waiting{pool="a", kind!~"b"}) or vector(0)'),
  ).toStrictEqual(['acuse_db_waiting has no kind', 'nothing has effect']);
  expect(findBreaches('1 > 2')).toStrictEqual(['names no metric']);
});

test('every expression of the dashboard has its metrics and labels', () => {
  const { panels } = JSON.parse(readFileSync(`${deploy}grafana/acuse.json`, 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const expressions = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr]));
  expect(expressions.length).toBeGreaterThan(40);
  for (const [title, expression] of expressions) expect(findBreaches(expression!), title).toStrictEqual([]);
});

test('every alert has its metrics and labels, a severity, a summary and a fix', () => {
  const rules = readFileSync(`${deploy}prometheus/alerts.yaml`, 'utf8')
    .split(/^ {6}- alert: /m)
    .slice(1);
  expect(rules.length).toBeGreaterThan(15);
  for (const rule of rules) {
    const name = rule.split('\n', 1)[0]!;
    const expression = /^ {8}expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/m.exec(rule);
    expect(findBreaches((expression?.[1] ?? expression?.[2])!), name).toStrictEqual([]);
    expect(rule, name).toMatch(/severity: (?:page|ticket) /);
    expect(rule, name).toMatch(/\n {10}summary: '.+'\n {10}fix: '.+'\n/);
    expect(rule, name).toContain(`\n          runbook: '/docs/runbooks#${name.toLowerCase()}'\n`);
  }
  const runbooks = readFileSync(new URL('../../../docs/runbooks.md', import.meta.url), 'utf8');
  const described = [...runbooks.matchAll(/^### (\w+)\n(Page|Ticket)\. /gm)];
  expect(described.map(([, name, severity]) => `${name} ${severity!.toLowerCase()}`).sort()).toStrictEqual(
    rules.map((rule) => `${rule.split('\n', 1)[0]} ${/severity: (\w+)/.exec(rule)![1]}`).sort(),
  );
});

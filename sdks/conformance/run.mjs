#!/usr/bin/env node
// npm run conformance -- [--only <language>]… [--scenario <number or letter>]… [--json <file>]
//                        [--shim <language>=<command>] [--table <file>] [--mutants]
//                        [--outbox [--every <number>]]
//                        [--differential [--seed <number>|commit]… [--count <number>] [--fresh]]
// Runs the scenarios against the libraries, side by side, with one server. Exit code 1: something failed.
// With --mutants: libraries that are wrong in one thing (run/mutants.mjs). Exit code 1: one was not caught.
// With --outbox: the outbox of each library, killed between any two steps (run/outbox.mjs).
// With --differential: changed bundles, about which all verifiers must say the same (run/differential.mjs).
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { differentialText, runDifferential, seedOfCommit } from './run/differential.mjs';
import { outboxText, runOutbox } from './run/outbox.mjs';
import { runMutants, runSuite } from './run/suite.mjs';
import { asTable, mutantTable } from './run/table.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    shim: { type: 'string', multiple: true },
    json: { type: 'string' },
    table: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    outbox: { type: 'boolean', default: false },
    every: { type: 'string' },
    differential: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    seed: { type: 'string', multiple: true },
    count: { type: 'string' },
  },
});
const isStrict = process.env.CI === 'true';
if (values.differential) {
  const report = await runDifferential({
    only: values.only ?? null,
    fresh: values.fresh,
    isStrict,
    ...(values.seed && {
      seeds: values.seed.map((seed) => (seed === 'commit' ? seedOfCommit() : Number(seed))),
    }),
    ...(values.count !== undefined && { count: Number(values.count) }),
  });
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
  console.log(differentialText(report));
  process.exit(report.ok ? 0 : 1);
}
if (values.outbox) {
  const every = Number(values.every ?? 1);
  const report = await runOutbox({ only: values.only ?? null, every, isStrict });
  console.log(outboxText(report));
  process.exit(report.ok ? 0 : 1);
}
if (values.mutants) {
  const { ok, seconds, mutants } = await runMutants({
    wanted: values.scenario ?? null,
    language: values.only?.[0] ?? null,
  });
  console.log(mutantTable(mutants));
  console.log(`mutants: ${seconds} s`);
  process.exit(ok ? 0 : 1);
}
const report = await runSuite({
  only: values.only ?? null,
  wanted: values.scenario ?? null,
  shims: Object.fromEntries((values.shim ?? []).map((each) => each.split(/=(.*)/s).slice(0, 2))),
  isStrict,
});
const table = asTable(report);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
if (values.table !== undefined) writeFileSync(values.table, table);
console.log(table);
for (const { number, title, results } of report.scenarios)
  for (const [language, { status, reason }] of Object.entries(results))
    if (status === 'failed') console.error(`${language}: ${number} ${title}: ${reason}`);
for (const [language, reason] of Object.entries(report.skipped))
  console.error(`${language}: skipped: ${reason}`);
console.log(`conformance: ${report.seconds} s`);
process.exit(report.ok ? 0 : 1);

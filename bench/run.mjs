#!/usr/bin/env node
// npm run bench [-- name [arguments]]: runs the benchmarks in this folder, or one of them by its name.
const BENCHMARKS = [
  'ingest',
  'delivery',
  'whole',
  'stages',
  'webhooks',
  'evidence',
  'neighbours',
  'overload',
  'lists',
  'clients',
];
/** Long: asked for by name only. */
const BY_NAME = [
  'faults',
  'scale',
  'retention',
  'bytes',
  'layout',
  'failover',
  'patroni',
  'drill',
  'roles',
  'attack',
  'stops',
  'search',
  'cluster',
];

const [name, ...args] = process.argv.slice(2);
if (name !== undefined && ![...BENCHMARKS, ...BY_NAME].includes(name)) {
  console.error(`no benchmark ${name}: there is ${[...BENCHMARKS, ...BY_NAME].join(', ')}`);
  process.exit(2);
}
for (const each of name === undefined ? BENCHMARKS : [name]) {
  const { run } = await import(`./${each}.mjs`);
  await run(args);
}

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

/** What each takes first, if anything: whole numbers from 1. */
const COUNTS = {
  ingest: ['rounds'],
  delivery: ['rounds', 'messages'],
  whole: ['rounds', 'seconds'],
  stages: ['rounds', 'seconds'],
  webhooks: ['rounds', 'messages'],
  layout: ['rounds', 'messages'],
  roles: ['rounds', 'seconds'],
  bytes: ['seconds'],
  neighbours: ['seconds'],
  overload: ['seconds'],
  attack: ['seconds'],
  evidence: ['leaves'],
  drill: ['leaves'],
  lists: ['messages'],
  retention: ['messages', 'days', 'of days'],
  failover: ['kills', 'messages'],
  patroni: ['kills', 'messages'],
  faults: ['minutes', 'seed', 'messages a second'],
  cluster: ['messages a second', 'seconds', 'processes'],
};

function refuseWrongCounts(name, args) {
  const counts = COUNTS[name] ?? [];
  const at = counts.findIndex((_, index) => args[index] !== undefined && !/^[1-9]\d*$/.test(args[index]));
  if (at < 0) return;
  const usage = counts.map((each) => `[${each}]`).join(' ');
  console.error(`${name} ${usage}: ${counts[at]} must be a whole number from 1, not ${args[at]}`);
  process.exit(2);
}

const [name, ...args] = process.argv.slice(2);
if (name !== undefined && ![...BENCHMARKS, ...BY_NAME].includes(name)) {
  console.error(`no benchmark ${name}: there is ${[...BENCHMARKS, ...BY_NAME].join(', ')}`);
  process.exit(2);
}
if (name !== undefined) refuseWrongCounts(name, args);
for (const each of name === undefined ? BENCHMARKS : [name]) {
  const { run } = await import(`./${each}.mjs`);
  await run(args);
}

#!/usr/bin/env node
// Processor time of a run's test files, the dearest first: `test-costs.mjs <file>` reads what
// packages/testkit/src/file-costs.ts wrote. With the seconds of the whole run as a second argument it also
// says what is left: PostgreSQL, which all files share, the workers' start, and vitest itself.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SHOWN = 20;

/** The lines of the report. A file that several projects ran counts once, with all that it cost. */
export function costsReport(text, totalS) {
  const byFile = new Map();
  for (const line of text.split('\n').filter(Boolean)) {
    const { file, ownMs, childrenMs } = JSON.parse(line);
    const cost = byFile.get(file) ?? { own: 0, children: 0 };
    byFile.set(file, { own: cost.own + ownMs / 1_000, children: cost.children + childrenMs / 1_000 });
  }
  const dearest = [...byFile].sort(([, a], [, b]) => sum(b) - sum(a));
  const files = dearest.reduce((all, [, cost]) => all + sum(cost), 0);
  const rest = totalS === undefined ? [] : [`${seconds(totalS - files)} PostgreSQL, workers and vitest`];
  return [
    `processor seconds of ${byFile.size} test files (of them in processes that they started):`,
    ...dearest
      .slice(0, SHOWN)
      .map(([file, cost]) => `${seconds(sum(cost))} (${cost.children.toFixed(1)}) ${file}`),
    `${seconds(files)} all test files`,
    ...rest,
  ];
}

const sum = ({ own, children }) => own + children;
const seconds = (s) => s.toFixed(1).padStart(8);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path, total] = process.argv.slice(2);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  for (const line of costsReport(text, total === undefined ? undefined : Number(total))) console.log(line);
}

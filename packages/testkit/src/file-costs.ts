import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * A setup file of vitest: with ACUSE_TEST_COSTS=<file> each test file adds one line to it, with what it cost
 * the processor in its worker and in the processes that it started and that have ended. Processor time says
 * the same on a busy machine, where the time that passed says nothing. `scripts/test-costs.mjs` reads it.
 */
const costs = process.env['ACUSE_TEST_COSTS'];
if (costs !== undefined) {
  const own = process.cpuUsage();
  const children = ofChildren();
  // Begun before the file is imported, and the last of its hooks to run.
  afterAll(() => {
    const { user, system } = process.cpuUsage(own);
    const file = relative(root, expect.getState().testPath ?? '');
    const line = { file, ownMs: (user + system) / 1_000, childrenMs: ofChildren() - children };
    appendFileSync(costs, `${JSON.stringify(line)}\n`);
  });
}

/** Processor time of ended children and their children (ms), in hundredths of a second; Linux only. */
function ofChildren(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // proc(5): the name, in parentheses, may hold blanks; cutime and cstime are fields 16 and 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0;
  }
}

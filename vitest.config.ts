import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './packages/testkit/src/eventually.ts';
import { findTests, KINDS, kindOf } from './packages/testkit/src/test-kinds.mjs';

const tests: string[] = findTests();

/** Kinds whose files do not share the modules of their worker: the product keeps nothing in them. */
const ISOLATED: readonly string[] = ['outside'];

/**
 * A project for each kind of test: `npx vitest run --project unit` runs one. Files run side by side, each
 * with a database of its own. All kinds stand in one queue, by their names: a worker that has nothing left of
 * one begins with the next, and the smallest files come last.
 */
export default defineConfig({
  test: {
    globalSetup: ['packages/testkit/src/vitest-global-setup.ts'],
    teardownTimeout: PATIENCE_MS,
    projects: KINDS.map((name) => ({
      test: {
        name,
        include: tests.filter((path) => kindOf(path) === name),
        setupFiles: ['packages/testkit/src/file-costs.ts'],
        isolate: ISOLATED.includes(name),
        // For two cores: many files wait for processes to start and to end more than they compute.
        maxWorkers: 4,
        pool: 'forks' as const,
        // Only what hangs takes so long: no test bounds time.
        testTimeout: 300_000,
        hookTimeout: 300_000,
        expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
      },
    })),
  },
});

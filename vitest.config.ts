import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './packages/testkit/src/eventually.ts';

/** One run for the whole workspace; files run side by side, each with a database of its own. */
export default defineConfig({
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'server/test/**/*.test.ts',
      'web/test/**/*.test.ts',
      'scripts/**/*.test.ts',
      'sdks/generate/**/*.test.ts',
      'sdks/conformance/**/*.test.ts',
    ],
    setupFiles: ['packages/testkit/src/file-costs.ts'],
    globalSetup: ['packages/testkit/src/vitest-global-setup.ts'],
    // Only what hangs takes so long: no test bounds time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
    maxWorkers: 3,
    pool: 'forks',
  },
});

import { defineConfig } from 'vitest/config';

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
    globalSetup: ['packages/testkit/src/vitest-global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    pool: 'forks',
  },
});

import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import type { VitestPluginContext } from 'vitest/node';
import { PATIENCE_MS } from './packages/testkit/src/eventually.ts';
import { findTests, KINDS, kindOf } from './packages/testkit/src/test-kinds.mjs';

const tests: string[] = findTests();

/** Kinds whose files do not share the modules of their worker: the product keeps nothing in them. */
const ISOLATED: readonly string[] = ['outside'];

/** In a module that is kept, the name of a package has become the path that its manifest says. */
const manifests = [
  ...readdirSync(`${import.meta.dirname}/packages`).map((name) => `packages/${name}`),
  'sdks/typescript',
  'mcp',
]
  .map((folder) => readFileSync(`${import.meta.dirname}/${folder}/package.json`, 'utf8'))
  .join();
const ofManifests = () => manifests;
const keptByManifests = {
  name: 'acuse:kept-by-manifests',
  configureVitest: ({ experimental_defineCacheKeyGenerator: addToKey }: VitestPluginContext) =>
    addToKey(ofManifests),
};

/**
 * A project for each kind of test: `npx vitest run --project unit` runs one. Files run side by side, each
 * with a database of its own. All kinds stand in one queue, by their names: a worker that has nothing left of
 * one begins with the next, and the smallest files come last.
 */
export default defineConfig({
  test: {
    // What one project has transformed is there for the others, and for the next run. `.vite*` in
    // node_modules is what is written while tests run: scripts/smoke.sh leaves it out.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.vite/modules' },
    globalSetup: ['packages/testkit/src/vitest-global-setup.ts'],
    teardownTimeout: PATIENCE_MS,
    projects: KINDS.map((name) => ({
      plugins: [keptByManifests],
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

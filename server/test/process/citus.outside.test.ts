import { test } from 'vitest';
import { CITUS_URL, NEEDS_CITUS } from '../support/citus.ts';

// The tests' imports are loaded only where there is a cluster.
if (CITUS_URL !== undefined) await import('./citus-cases.ts');
else test.skip(`a coordinator with two workers${NEEDS_CITUS}`, () => {});

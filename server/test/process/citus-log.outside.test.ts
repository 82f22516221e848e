import { test } from 'vitest';
import { CITUS_URL, NEEDS_CITUS } from '../support/citus.ts';

// The tests' imports are loaded only where there is a cluster.
if (CITUS_URL !== undefined) await import('./citus-log-cases.ts');
else test.skip(`a restored cluster with two workers${NEEDS_CITUS}`, () => {});

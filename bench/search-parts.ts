/** The part of the benchmark of searches in its own process. */
export { collectWords } from '../server/src/messages/search/collect.ts';
export { systemClock } from '../server/src/platform/clock.ts';
export { openDb } from '../server/src/platform/database/db.ts';

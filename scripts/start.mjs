#!/usr/bin/env node
// npm start: `acuse serve`, built first if need be. In this very process, so that a signal to it is a signal
// to the server.

/** How often to look whether npm is still there (ms): a kill -9 of npm reaches nobody but npm. */
const PARENT_POLL_MS = 250;

const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  // Somebody else has adopted us: stop as if we had been told to, rather than run on unseen and hold port and
  // data folder.
  clearInterval(watch);
  process.kill(process.pid, 'SIGTERM');
}, PARENT_POLL_MS).unref();

process.argv.splice(2, 0, 'serve');
await import('../server/bin/acuse.mjs');

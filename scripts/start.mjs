#!/usr/bin/env node
// npm start: `acuse serve`, built first if need be. In this very process, so that a signal to it is a signal to the server.
process.argv.splice(2, 0, 'serve');
await import('../server/bin/acuse.mjs');

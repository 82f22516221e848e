#!/usr/bin/env node
// Runs the built program. In a source tree it is built first when it is missing or older than the sources; an
// installed package has no build script and is complete as it is.
import { existsSync } from 'node:fs';

const builder = new URL('../../scripts/build.mjs', import.meta.url);
if (existsSync(builder)) {
  const { ensureBuilt, startBuildingWeb } = await import(builder.href);
  // Beside the server's own start, most of which is waiting for PostgreSQL.
  if (process.argv[2] === 'serve') startBuildingWeb();
  if (!(await ensureBuilt('acuse'))) process.exit(1);
}
await import('../dist/acuse.mjs');

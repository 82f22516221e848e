#!/usr/bin/env node
// Runs the built program. In a source tree it is built first when it is missing or older than the sources; an
// installed package has no build script and is complete as it is. Nodes that are too old read this file too:
// what they cannot parse is imported only when their version is known.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Acuse needs Node 20.19 or newer; this is Node ${process.versions.node} (${process.execPath}).`,
  );
  process.exit(1);
}

const { existsSync } = await import('node:fs');
const builder = new URL('../../scripts/build.mjs', import.meta.url);
if (existsSync(builder)) {
  const { ensureBuilt, startBuildingWeb } = await import(builder.href);
  // Beside the server's own start, most of which is waiting for PostgreSQL.
  if (process.argv[2] === 'serve') startBuildingWeb();
  if (!(await ensureBuilt('acuse'))) process.exit(1);
}
await import('../dist/acuse.mjs');

// The project's own TypeScript, for a benchmark to run in its own process: our packages inlined, all others
// as installed.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Imports a module of this folder's TypeScript. */
export async function importBundled(name) {
  // Where the imports that stay are found as from the server.
  const parent = join(root, 'server/node_modules/.cache');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'bench-'));
  try {
    const outfile = join(folder, 'bundle.mjs');
    await build({
      absWorkingDir: root,
      entryPoints: [join('bench', name)],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      logLevel: 'warning',
      plugins: [
        {
          name: 'others-stay',
          setup: (bundle) =>
            bundle.onResolve({ filter: /^[^./]/ }, ({ path }) =>
              path.startsWith('@acuse/') ? undefined : { path, external: true },
            ),
        },
      ],
    });
    return await import(outfile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

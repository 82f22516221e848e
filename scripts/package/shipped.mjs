// Others' code that ships: packages that are installed beside the program, packages that were bundled into
// it, and the libraries that come with the embedded PostgreSQL. Their licences are held to policy.json.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

export const POLICY = JSON.parse(readFileSync(new URL('policy.json', import.meta.url), 'utf8'));

/** PostgreSQL's own libraries, which have its licence. */
const POSTGRES_LIBRARY = /^lib(?:ecpg|ecpg_compat|pgtypes|pq)\.so\.\d+$/;
/** The name that programs load a library by: `libz.so.1`, not `libz.so.1.2.11`. */
const SONAME = /^lib[^/]+\.so\.\d+(?:\.1)?$/;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/**
 * Packages of node_modules folders, nested ones too, and those that files of bundles came from: `{name,
 * version, license, folder, bundled}`, sorted, each name and version once.
 */
export function findShipped(modules, bundledFiles) {
  const found = new Map();
  const add = (folder, bundled) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const key = `${name}@${version}`;
    const known = license ?? POLICY.undeclared[key]?.license ?? null;
    if (!found.has(key)) found.set(key, { name, version, license: known, folder, bundled });
  };
  for (const folder of modules.flatMap(packageFolders)) add(folder, false);
  const bundled = new Set(bundledFiles.map(packageFolder).filter((folder) => folder !== null));
  for (const folder of [...bundled].sort()) add(folder, true);
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** Of the packages in a node_modules folder, nested ones too. */
export function packageFolders(modules) {
  if (!existsSync(modules)) return [];
  return readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) =>
      name.startsWith('@')
        ? readdirSync(join(modules, name)).map((inner) => join(modules, name, inner))
        : [join(modules, name)],
    )
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .flatMap((folder) => [folder, ...packageFolders(join(folder, 'node_modules'))]);
}

/** The folder of the package that a file belongs to; null: it is our own. */
export function packageFolder(path) {
  const parts = path.split(sep);
  const at = parts.lastIndexOf('node_modules');
  if (at === -1) return null;
  return parts.slice(0, at + (parts[at + 1].startsWith('@') ? 3 : 2)).join(sep);
}

/**
 * Libraries in a folder of the embedded PostgreSQL: `{name, version, license, cpe}`. Throws on an unknown
 * one, and on one that does not say the version that policy.json has.
 */
export function findNative(folder) {
  if (!existsSync(folder)) return [];
  const found = new Map();
  for (const file of readdirSync(folder).sort()) {
    if (!SONAME.test(file) || POSTGRES_LIBRARY.test(file)) continue;
    const known = POLICY.native[file];
    if (known === undefined)
      throw new Error(`${file} ships with the embedded PostgreSQL: say in policy.json what it is`);
    const { says, ...facts } = known;
    if (says !== undefined && !readFileSync(join(folder, file)).includes(says))
      throw new Error(`${file} does not say ${JSON.stringify(says)}: policy.json has its version`);
    found.set(known.name, facts);
  }
  return [...found.values()];
}

/** True when an SPDX expression leaves a way to comply with permissive licences only. */
export function isPermissive(expression) {
  if (typeof expression !== 'string' || expression.trim() === '') return false;
  const bare = expression.trim().replace(/^\(([^()]*)\)$/, '$1');
  if (bare.includes('(')) return false;
  return bare
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((id) => POLICY.permissive.includes(id.trim())));
}

/** One line for each thing that must not ship. */
export function findBreaches(things) {
  return things
    .filter(({ license }) => !isPermissive(license))
    .map(
      ({ name, version, license }) =>
        `${name} ${version}: ${JSON.stringify(license)} is not a permissive licence (policy.json)`,
    );
}

/** The licences of everything that ships, with their texts, for people. */
export function writeLicences(shipped, native) {
  const parts = shipped.map((each) => {
    const texts = readdirSync(each.folder)
      .filter((name) => LICENCE_FILE.test(name))
      .sort()
      .map((name) => readFileSync(join(each.folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
    const text = texts.length === 0 ? `The package has no licence file and declares ${each.license}.` : '';
    return [`${each.name} ${each.version} (${each.license})`, text, ...texts].filter(Boolean).join('\n\n');
  });
  const libraries = native.map(
    ({ name, version, license }) =>
      `${name} ${version} (${license})\n\nIt comes with the embedded PostgreSQL.`,
  );
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `What ships with Acuse and was written by others\n\n${[...parts, ...libraries].join(rule)}\n`;
}

#!/usr/bin/env node
// The walls of ARCHITECTURE.md, held: imports, SQL, the environment, what stays out of the pure package. Each
// breach is one line: place, what is wrong, what would be right.
import { builtinModules } from 'node:module';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { domainOf, hasPlace, mayImport } from './domains.mjs';
import { filesBelow, isCode, ROOT, readText, report } from './source-files.mjs';
import { codeOf, importsOf, lineOf, stringsOf } from './source-text.mjs';
import { checkWeb } from './web-walls.mjs';

/** Package → packages of ours that it may import. */
const PACKAGES = {
  evidence: [],
  mail: ['evidence'],
  tsa: ['evidence'],
  testkit: ['evidence', 'mail', 'tsa'],
};

/** Records of a zone file: the portal, setup and the doctor write the same. Without Node, unlike the rest. */
const ZONE = 'packages/mail/zone';

/**
 * Beside packages and server: home → what of ours it may import, besides itself. A home is its own second
 * folder in web and sdks.
 */
const HOMES = {
  'web/shared': ['contract', 'packages/evidence'],
  'web/portal': ['contract', 'web/shared', 'packages/evidence', ZONE, 'sdks/generate/snippets'],
  'web/': ['contract', 'web/shared', 'packages/evidence'],
  // Browser tests run against a server of their own, and visit every page that an application lists.
  'web/test': ['web/portal', 'web/admin', 'web/shared', 'packages/evidence', 'packages/testkit'],
  'sdks/': [],
  // Verifies offline with the code that /verify runs.
  'sdks/typescript': ['packages/evidence'],
  // Starts the server as a process, and its peers; of a library it knows only the program to start.
  'sdks/conformance': ['packages/testkit'],
  mcp: ['sdks/typescript'],
};
/** Differences between libraries are in sdks/names.json, where every language has the same fields. */
const KNOWS_NO_LANGUAGE = 'sdks/conformance';
/** Never imported by the server and the packages: they know at most the path of what is built of it. */
const OUTSIDE = /^(?:web|sdks|mcp)\//;

/**
 * In packages/evidence: what a browser lacks, or what would make its answer depend on more than its
 * arguments.
 */
const IMPURE = [
  [/\bBuffer\b/, 'Buffer', 'use Uint8Array and bytes.ts'],
  [/\bprocess\s*\./, 'process', 'take it as an argument'],
  [
    /\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bperformance\s*\./,
    'a clock',
    'take the time as an argument',
  ],
  [/\bMath\s*\.\s*random\b|\bgetRandomValues\b|\brandomUUID\b/, 'randomness', 'take it as an argument'],
  [/\bfetch\s*\(|\bXMLHttpRequest\b|\bWebSocket\b/, 'the network', 'leave it to the caller'],
  [/\bsetTimeout\b|\bsetInterval\b/, 'timers', 'leave waiting to the caller'],
];

/** How a statement begins. */
const SQL = new RegExp(
  String.raw`^\s*(?:(?:\/\*[\s\S]*?\*\/|--[^\n]*\n|explain\s+(?:analyze\s+)?|begin;|\()\s*)*(?:${[
    String.raw`select\s+[\s\S]*\sfrom\s|select\s+(?:\d|\w+\()`,
    String.raw`with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\s+(?:(?:not\s+)?materialized\s+)?\(`,
    String.raw`insert\s+into\s|delete\s+from\s|merge\s+into\s|lock\s+table\s|refresh\s+materialized\s`,
    String.raw`update\s+(?:only\s+)?[\w".]+\s+(?:as\s+)?(?:\w+\s+)?set\s`,
    String.raw`truncate\s+(?:table\s|only\s|[\w".]+\s*(?:[,;]|$))`,
    String.raw`copy\s+[\w".]+\s*(?:\([^)]*\)\s*)?(?:from|to)\s+(?:stdin|stdout)`,
    String.raw`(?:create|alter|drop)\s+(?:table|index|role|database|policy|view|function|trigger)\s`,
    String.raw`set\s+(?:local|session)\s+\w+\s*(?:=|to\s)|(?:grant|revoke)\s+[\w, ]+\son\s`,
  ].join('|')})`,
  'i',
);

/** A require under another name, by which a file could import what no wall sees. */
const CREATE_REQUIRE =
  /(?<!\bconst\s+require\s*=\s*)(?<!\bimport\s*\{[^}]*)\bcreateRequire\b(?!\s*\([^()]*\)\s*(?:\.\s*resolve\b|\())/;

/** Reading it by its name, and what hands it on under another. */
const ENVIRONMENT =
  /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*(?:\?\.)?\[|(?:\{[^{}]*(?:\benv\b|\.\.\.)[^{}]*\}|\w)\s*=\s*(?:globalThis\s*\.\s*)?process\b(?!\s*[.?(])|\bimport\s*\{[^}]*\benv\b[^}]*\}\s*from\s*['"]\s*['"]/;

/** Starts what is built, and builds it first in a clone: it knows the builder by its path. */
const STARTER = 'server/bin/acuse.mjs';

/** Every breach in the tree, as lines. */
export function findBreaches(root = ROOT) {
  const read = (path) => readText(join(root, path));
  const below = (folder) => filesBelow(root, folder);
  const outside = ['web', 'sdks', 'mcp'].flatMap(below);
  const packages = outside.filter((path) => path.endsWith('/package.json'));
  const names = new Map(packages.map((path) => [JSON.parse(read(path)).name, dirname(path)]));
  const code = [...below('packages'), ...below('server'), ...outside].filter(isCode);
  const tables = below('server/src/config').filter((path) => /-variables\.ts$/.test(path));
  const variables = variablesOf(tables.map(read).join('\n'));
  const languages = Object.keys(JSON.parse(read('sdks/names.json')).languages);
  return [
    ...code.flatMap((path) => checkFile(path, read(path), names)),
    ...code.flatMap((path) => checkLanguages(path, read(path), languages)),
    ...below('deploy').flatMap((path) => checkDeployed(path, read(path), variables)),
  ];
}

/**
 * The breaches of one file; `path` is relative to the root of the tree. `names`: package names of web, sdks
 * and mcp → their folders.
 */
export function checkFile(path, text, names = new Map()) {
  const file = { path, text, code: codeOf(text), imports: importsOf(text) };
  const home = outsideHome(path);
  if (home !== null)
    return [...checkOutside(file, home, names), ...(home.startsWith('web/') ? checkWeb(file) : [])];
  return [...checkImports(file, names), ...checkPurity(file), ...checkPlaces(file)];
}

/** `web/portal`, `sdks/typescript`, `mcp`; null for what has walls of its own. */
function outsideHome(path) {
  const [top, second] = path.split('/');
  if (top === 'mcp') return top;
  return top === 'web' || top === 'sdks' ? `${top}/${second}` : null;
}

function checkOutside(file, home, names) {
  const allowed = HOMES[home] ?? HOMES[`${home.split('/')[0]}/`];
  return file.imports.flatMap(({ from, line }) => {
    if (from === null || isAbsolute(from)) return [`${file.path}:${line}: ${unseen(from)}`];
    const target = targetOf(file.path, from, names);
    if (
      target === null ||
      [home, ...allowed].some((place) => target === place || target.startsWith(`${place}/`))
    )
      return [];
    const may = allowed.join(', ') || 'nothing of ours';
    return [`${file.path}:${line}: imports ${target}: ${home} may import ${may}`];
  });
}

/** Where the suite of all libraries names one of them. */
export function checkLanguages(path, text, languages) {
  if (!path.startsWith(`${KNOWS_NO_LANGUAGE}/`)) return [];
  return stringsOf(text)
    .filter(({ value }) => languages.includes(value))
    .map(
      ({ value, line }) =>
        `${path}:${line}: names ${value}: the suite knows no language; put what differs into sdks/names.json`,
    );
}

/** The path in the tree that an import leads to; null for what is not ours. */
function targetOf(path, from, names) {
  if (from.startsWith('.')) return normalize(join(dirname(path), from));
  const name = from.split('/', from.startsWith('@') ? 2 : 1).join('/');
  if (names.has(name)) return names.get(name) + from.slice(name.length);
  if (!from.startsWith('@acuse/')) return null;
  const [, target, ...module] = from.split('/');
  return PACKAGES[target] === undefined ? target : ['packages', target, ...module].join('/');
}

/** The names in the table of variables. */
export function variablesOf(text) {
  return new Set(stringsOf(text).flatMap(({ value }) => (/^ACUSE_\w+$/.test(value) ? [value] : [])));
}

/** Secrets that an authority's manifest names, under names of the operator's own. */
const OPERATORS_OWN = /^ACUSE_SECRET_/;

/** Files that deploy the service have no code, and name no variable that the service does not read. */
export function checkDeployed(path, text, variables) {
  const unknown = text.split('\n').flatMap((line, at) =>
    [...line.matchAll(/\bACUSE_[A-Z0-9]\w*/g)]
      .map(([name]) => name)
      .filter((name) => !variables.has(name) && !OPERATORS_OWN.test(name))
      .map((name) => `${path}:${at + 1}: names ${name}, which is not in the table of config-variables.ts`),
  );
  return isCode(path) ? [...unknown, `${path}:1: is code: deploy/ has none`] : unknown;
}

/** Paths that no wall sees: of this machine, of an alias, or made while running. */
function isAbsolute(from) {
  return /^(?:\/|#|\w+:)/.test(from) && !from.startsWith('node:');
}

function unseen(from) {
  return `imports ${from ?? 'what only running tells'}: write the relative path, which the walls can see`;
}

function checkImports(file, names) {
  const breaches = [];
  const breach = (line, message) => breaches.push(`${file.path}:${line}: ${message}`);
  const home = packageOf(file.path);
  for (const { from, line, typeOnly } of file.path === STARTER ? [] : file.imports) {
    if (from === null || isAbsolute(from)) {
      if (isSource(file.path)) breach(line, unseen(from));
      continue;
    }
    const outside = targetOf(file.path, from, names);
    if (outside !== null && OUTSIDE.test(`${outside}/`)) {
      breach(line, `imports ${outside}: nothing does; what is built of it is served, by path`);
    } else if (from.startsWith('@acuse/')) {
      const [, target] = from.split('/');
      const refused = refusePackage(file.path, home, target);
      if (refused !== null) breach(line, refused);
    } else if (from.startsWith('.')) {
      const target = normalize(join(dirname(file.path), from));
      if (target.startsWith('server/dist/') && !isSource(file.path)) continue;
      if (packageOf(target) !== home)
        breach(
          line,
          `imports ${target} by its path: write @acuse/<package>/<module>, which the walls can see`,
        );
      else if (!/\.(ts|mjs|json)$/.test(from))
        breach(line, `imports ${from}: write the file's own name, with .ts`);
      else if (home === 'server')
        checkDomains(file.path, target, typeOnly, (message) => breach(line, message));
    } else if (home === 'evidence' && isSource(file.path) && isBuiltin(from)) {
      breach(line, `imports ${from}: packages/evidence runs in a browser; take what it needs as an argument`);
    }
  }
  return breaches;
}

function isBuiltin(from) {
  return from.startsWith('node:') || builtinModules.includes(from);
}

function refusePackage(path, home, target) {
  if (target === 'server')
    return 'imports the server: nothing does; start it as a process, or move the shared part into a package';
  if (PACKAGES[target] === undefined)
    return `imports @acuse/${target}, which is no package of this workspace`;
  if (target === 'testkit') return isSource(path) ? 'imports testkit, which is for tests only' : null;
  // Tests may use what they test against: the issuing side, the composing side.
  if (home === 'server' || !isSource(path) || PACKAGES[home].includes(target)) return null;
  return `imports @acuse/${target}: ${home} may import ${PACKAGES[home].join(', ') || 'nothing of ours'}`;
}

function checkDomains(path, target, typeOnly, breach) {
  if (!path.startsWith('server/src/') || !target.startsWith('server/src/')) return;
  const [from, to] = [domainOf(path), domainOf(target)];
  const homeless = [from, to].find((domain) => !hasPlace(domain));
  if (homeless !== undefined) {
    breach(
      `server/src/${homeless} has no place on the ladder: give it one in scripts/domains.mjs and ARCHITECTURE.md`,
    );
    return;
  }
  if (!mayImport(from, to)) {
    breach(
      `${from ?? 'a file for everyone'} imports ${to} (${relative('server/src', target)}): imports point down the ladder of ARCHITECTURE.md`,
    );
  }
  if (isStore(path) && isStore(target) && !typeOnly)
    breach(`a store imports another (${relative('server/src', target)}): the operation calls both`);
}

function checkPurity(file) {
  if (!file.path.startsWith('packages/evidence/src/')) return [];
  return IMPURE.flatMap(([pattern, what, instead]) =>
    places(file, pattern).map(
      (line) => `${file.path}:${line}: uses ${what}: packages/evidence is pure; ${instead}`,
    ),
  );
}

function checkPlaces(file) {
  if (!isSource(file.path)) return [];
  const breaches = [
    ...places(file, /\bexport\s+(type\s+)?(\*|\{[^}]*\})\s*(as\s+\w+\s+)?from\b/),
    ...importedAndExported(file),
  ].map((line) => `${file.path}:${line}: re-exports: no barrels; import from where it is made`);
  breaches.push(
    ...places(file, CREATE_REQUIRE).map(
      (line) => `${file.path}:${line}: names a require of its own: call it require, which the walls can see`,
    ),
  );
  if (!file.path.startsWith('packages/testkit/') && file.path !== 'server/src/config/config.ts') {
    breaches.push(
      ...places(file, ENVIRONMENT).map(
        (line) =>
          `${file.path}:${line}: reads the environment: only server/src/config/config.ts does; take the value as an argument`,
      ),
    );
  }
  if (
    file.path.startsWith('server/src/') &&
    !file.path.startsWith('server/src/platform/') &&
    !isStore(file.path)
  ) {
    for (const { value, line } of stringsOf(file.text))
      if (SQL.test(value.replace(/\\[nrt]/g, '\n')))
        breaches.push(`${file.path}:${line}: has SQL: move the statement to the domain's store.ts`);
  }
  return breaches;
}

/** Lines on which something is exported by name that the file imports. */
function importedAndExported(file) {
  const namesOf = (list) =>
    list.split(',').map((item) =>
      item
        .replace(/^\s*type\s/, '')
        .trim()
        .split(/\s+as\s+/),
    );
  const imported = new Set(
    [...file.code.matchAll(/\bimport\s+(?:type\s+)?([^;'"]*?)\s*from\b/g)].flatMap(([, clause]) =>
      namesOf(clause.replace(/[{}]/g, ',').replace(/\*\s*as/, '')).map((names) => names.at(-1)),
    ),
  );
  return [...file.code.matchAll(/\bexport\s+(?:type\s+)?\{([^}]*)\}(?!\s*from\b)/g)]
    .filter(([, list]) => namesOf(list).some(([name]) => name !== '' && imported.has(name)))
    .map(({ index }) => lineOf(file.code, index));
}

/** Lines of the code (no comments, no strings) on which the pattern stands. */
function places({ code }, pattern) {
  return [...code.matchAll(new RegExp(pattern, 'g'))].map(({ index }) => lineOf(code, index));
}

function packageOf(path) {
  const [top, name] = path.split('/');
  return top === 'packages' ? name : top;
}

function isSource(path) {
  return path.split('/').includes('src');
}

function isStore(path) {
  return /(^|\/|-)store\.ts$/.test(path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(findBreaches());

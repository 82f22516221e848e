#!/usr/bin/env node
// One version, that of server/package.json, everywhere: every part of a release has it, and a client library
// is that of the installation which hands it out. `npm run check` compares; `node scripts/check-version.mjs
// 1.1.0` writes another version into all of them, and then `npm run generate` into what is generated.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, report } from './source-files.mjs';

const SOURCE = 'server/package.json';
const SEMVER = String.raw`\d+\.\d+\.\d+`;
const FORM = new RegExp(`^${SEMVER}$`);

/** Files, and what stands around the version in them, which is {}. */
const PLACES = [
  ...[
    'package.json',
    'bench/package.json',
    'contract/package.json',
    'mcp/package.json',
    'packages/evidence/package.json',
    'packages/mail/package.json',
    'packages/testkit/package.json',
    'packages/tsa/package.json',
    'sdks/typescript/package.json',
    'server/package.json',
    'web/package.json',
  ].map((file) => [file, '\n  "version": "{}"']),
  ['mcp/package.json', '"@acuse/client": "{}"'],
  ['web/package.json', '"@acuse/evidence": "{}"'],
  ['web/package.json', '"@acuse/testkit": "{}"'],
  ['mcp/src/version.ts', "VERSION = '{}'"],
  ['deploy/helm/acuse/Chart.yaml', '\nversion: {}\n'],
  ['deploy/helm/acuse/Chart.yaml', '\nappVersion: {}\n'],
  ['docs/packages.md', 'acuse_{}_amd64.deb'],
  ['sdks/go/doc.go', 'const Version = "{}"'],
  ['sdks/java/pom.xml', '<artifactId>acuse-java</artifactId>\n  <version>{}</version>'],
  ['sdks/java/src/main/java/dev/acuse/Acuse.java', 'String VERSION = "{}"'],
  ['sdks/php/src/Version.php', "const TEXT = '{}'"],
  ['sdks/python/src/acuse/_version.py', '__version__ = "{}"'],
  ['sdks/ruby/lib/acuse/version.rb', "VERSION = '{}'"],
  ['sdks/rust/Cargo.toml', '\nversion = "{}"\n'],
  ['sdks/rust/shim/Cargo.toml', '\nversion = "{}"\n'],
  ['sdks/rust/versions.lock', 'name = "acuse"\nversion = "{}"'],
  ['sdks/rust/versions.lock', 'name = "acuse-shim"\nversion = "{}"'],
  ['sdks/typescript/src/options.ts', "VERSION = '{}'"],
  // Lines that readers copy.
  ['sdks/go/README.md', 'acuse.dev/go@v{}'],
  ['sdks/java/README.md', '<artifactId>acuse-java</artifactId>\n    <version>{}</version>'],
  ['sdks/php/README.md', 'acuse/acuse:{}'],
  ['sdks/python/README.md', 'acuse-{}-py3'],
  ['sdks/ruby/README.md', '--version {} '],
  ['sdks/ruby/README.md', "gem 'acuse', '{}'"],
  ['sdks/rust/README.md', 'acuse@{} --registry'],
  ['sdks/typescript/README.md', 'acuse-client-{}.tgz'],
];
const LOCK = 'package-lock.json';

/** Every place that has another version, as lines. */
export function findBreaches(root = ROOT) {
  const version = versionOf(root);
  const elsewhere = PLACES.flatMap(([file, place]) => {
    const found = readFileSync(join(root, file), 'utf8').match(expression(place));
    if (found === null) return [`${file}: the version is not where scripts/check-version.mjs looks for it`];
    return found[2] === version ? [] : [`${file}: version ${found[2]}, and ${SOURCE} has ${version}`];
  });
  const lock = readFileSync(join(root, LOCK), 'utf8');
  return lock === stampedLock(lock, version)
    ? elsewhere
    : [...elsewhere, `${LOCK}: a package of ours has another version than ${version}`];
}

function versionOf(root) {
  return JSON.parse(readFileSync(join(root, SOURCE), 'utf8')).version;
}

function expression(place) {
  const [before, after] = place.split('{}').map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(${before})(${SEMVER})(${after})`);
}

/** Of npm's lock file: our folders, and what they want of each other. */
function stampedLock(text, version) {
  const lock = JSON.parse(text);
  lock.version = version;
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path.includes('node_modules')) continue;
    entry.version = version;
    for (const kind of ['dependencies', 'devDependencies'])
      for (const name of Object.keys(entry[kind] ?? {}))
        if (name.startsWith('@acuse/') && entry[kind][name] !== '*') entry[kind][name] = version;
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function stamp(version) {
  for (const [file, place] of PLACES) {
    const path = join(ROOT, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(expression(place), `$1${version}$3`));
  }
  const lock = join(ROOT, LOCK);
  writeFileSync(lock, stampedLock(readFileSync(lock, 'utf8'), version));
}

if (process.argv[1] === join(ROOT, 'scripts/check-version.mjs')) {
  const [version] = process.argv.slice(2);
  if (version !== undefined && !FORM.test(version)) {
    console.error('usage: check-version.mjs [<major>.<minor>.<patch>]');
    process.exit(2);
  }
  if (version !== undefined) stamp(version);
  report(findBreaches());
}

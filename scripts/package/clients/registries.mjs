// The client libraries as their own tools ask for them, from static files: each language's registry in a
// folder, made of the files that the language packed itself. `{{url}}` is where the folder of all of them
// is, which only the installation knows.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zipFolder } from './zip.mjs';

/**
 * `source`: the language's folder; `packed`: where its own tool put what it made; `to`: the registry;
 * `version`, `time`. Each returns the path of the library in `to`.
 */
export const REGISTRIES = {
  typescript: { folder: 'npm', make: npm },
  python: { folder: 'python', make: python },
  go: { folder: 'go', make: go },
  rust: { folder: 'cargo', make: cargo },
  java: { folder: 'maven', make: maven },
  php: { folder: 'composer', make: composer },
  ruby: { folder: 'gems', make: gems },
};

function npm({ packed, to, version }) {
  for (const name of readdirSync(packed)) copy(join(packed, name), join(to, name));
  return `acuse-client-${version}.tgz`;
}

/** PEP 503 */
function python({ packed, to, version }) {
  const name = `acuse-${version}-py3-none-any.whl`;
  copy(join(packed, name), join(to, name));
  const link = `<a href="../../${name}#sha256=${digestOf('sha256', join(to, name))}" data-requires-python="&gt;=3.10">${name}</a>`;
  put(join(to, 'simple/index.html'), listing('<a href="acuse/">acuse</a>'));
  put(join(to, 'simple/acuse/index.html'), listing(link));
  return name;
}

function listing(link) {
  return `<!doctype html>\n<html><head><title>acuse</title></head><body>\n${link}\n</body></html>\n`;
}

/**
 * Parts that a program imports: not the program of the conformance suite, and nothing that only the tree
 * needs.
 */
const NOT_GO = /^(?:shim|build)\/|^(?:run|\.gitignore)$/;

function go({ source, to, version, time }) {
  const mod = readFileSync(join(source, 'go.mod'), 'utf8');
  const path = /^module (\S+)$/m.exec(mod)[1];
  const folder = join(to, path, '@v');
  const info = `${JSON.stringify({ Version: `v${version}`, Time: time.toISOString() })}\n`;
  put(join(folder, 'list'), `v${version}\n`);
  put(join(folder, `v${version}.info`), info);
  put(join(to, path, '@latest'), info);
  put(join(folder, `v${version}.mod`), mod);
  put(
    join(folder, `v${version}.zip`),
    zipFolder(source, `${path}@v${version}/`, (name) => !NOT_GO.test(name)),
  );
  return `${path}/@v/v${version}.zip`;
}

function cargo({ source, packed, to, version }) {
  const crate = `acuse-${version}.crate`;
  copy(join(packed, crate), join(to, 'crates', crate));
  const facts = JSON.parse(
    execFileSync('cargo', ['metadata', '--no-deps', '--offline', '--format-version', '1'], {
      cwd: source,
      encoding: 'utf8',
    }),
  ).packages.find(({ name }) => name === 'acuse');
  const line = {
    name: facts.name,
    vers: version,
    deps: facts.dependencies.filter(({ kind }) => kind !== 'dev').map(crateDependency),
    cksum: digestOf('sha256', join(to, 'crates', crate)),
    ...splitFeatures(facts.features),
    yanked: false,
    rust_version: facts.rust_version,
    v: 2,
  };
  put(join(to, 'ac/us/acuse'), `${JSON.stringify(line)}\n`);
  put(join(to, 'config.json'), `${JSON.stringify({ dl: '{{url}}/cargo/crates/{crate}-{version}.crate' })}\n`);
  return `crates/${crate}`;
}

/** `registry`: of another registry than this one, as cargo itself names it. */
function crateDependency({ name, req, features, optional, uses_default_features, target, kind, source }) {
  return {
    ...{ name, req, features, optional, default_features: uses_default_features, target },
    kind: kind ?? 'normal',
    registry: source.replace(/^registry\+/, ''),
  };
}

/** `dep:` is known to those who read the second version of the index. */
function splitFeatures(features) {
  const isNew = ([, enables]) => enables.some((each) => each.startsWith('dep:') || each.includes('?'));
  const all = Object.entries(features);
  return {
    features: Object.fromEntries(all.filter((each) => !isNew(each))),
    features2: Object.fromEntries(all.filter(isNew)),
  };
}

function maven({ source, packed, to, version, time }) {
  const home = join(to, 'dev/acuse/acuse-java');
  const name = `acuse-java-${version}`;
  for (const end of ['.jar', '-sources.jar', '-javadoc.jar'])
    copy(join(packed, `${name}${end}`), join(home, version, `${name}${end}`));
  copy(join(source, 'pom.xml'), join(home, version, `${name}.pom`));
  const updated = time.toISOString().replace(/\D/g, '').slice(0, 14);
  put(
    join(home, 'maven-metadata.xml'),
    `<?xml version="1.0" encoding="UTF-8"?>
<metadata>
  <groupId>dev.acuse</groupId>
  <artifactId>acuse-java</artifactId>
  <versioning>
    <latest>${version}</latest>
    <release>${version}</release>
    <versions>
      <version>${version}</version>
    </versions>
    <lastUpdated>${updated}</lastUpdated>
  </versioning>
</metadata>
`,
  );
  const files = ['.jar', '-sources.jar', '-javadoc.jar', '.pom'].map((end) => join(version, name + end));
  for (const file of [...files, 'maven-metadata.xml'])
    for (const algorithm of ['md5', 'sha1', 'sha256'])
      put(join(home, `${file}.${algorithm}`), digestOf(algorithm, join(home, file)));
  return `dev/acuse/acuse-java/${version}/${name}.jar`;
}

function composer({ source, to, version }) {
  const facts = JSON.parse(readFileSync(join(source, 'composer.json'), 'utf8'));
  const excluded = facts.archive.exclude.map((each) => each.slice(1));
  const name = `acuse-acuse-${version}.zip`;
  const isLeftOut = (path) => excluded.some((each) => path === each || path.startsWith(`${each}/`));
  put(
    join(to, name),
    zipFolder(source, '', (path) => !isLeftOut(path)),
  );
  const { archive: _, ...shown } = facts;
  const dist = { type: 'zip', url: `{{url}}/composer/${name}`, shasum: digestOf('sha1', join(to, name)) };
  const packages = { [facts.name]: { [version]: { ...shown, version, dist } } };
  put(join(to, 'packages.json'), `${JSON.stringify({ packages })}\n`);
  return name;
}

function gems({ packed, to, version }) {
  const name = `acuse-${version}.gem`;
  copy(join(packed, name), join(to, 'gems', name));
  execFileSync('ruby', [fileURLToPath(new URL('gem-index.rb', import.meta.url)), to], { stdio: 'inherit' });
  put(join(to, 'index.html'), listing(`<a href="gems/${name}">${name}</a>`));
  return `gems/${name}`;
}

function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

function digestOf(algorithm, path) {
  return createHash(algorithm).update(readFileSync(path)).digest('hex');
}

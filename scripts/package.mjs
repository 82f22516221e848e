#!/usr/bin/env node
// npm run package: everything that a release consists of, in one folder: the tree as an archive, the Debian
// package, the bill of materials, the hashes of all of them and, with a key, its signature. Reproducible:
// docs/packages.md says how to check it.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packTree, signSums, writeSums } from './package/archive.mjs';
import { makeDeb } from './package/deb.mjs';
import { readFacts } from './package/facts.mjs';
import { signProvenance, writeProvenance } from './package/provenance.mjs';
import { makeTree } from './package/tree.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const NPM_MIN = 10;

const USAGE = `usage: npm run package -- [--out FOLDER] [--sign-with KEY.pem] [--no-archive] [--no-deb] [--tree]

  --out FOLDER         where the files go: a folder that is empty or not there yet (default: dist)
  --sign-with KEY.pem  Ed25519 private key of the release (openssl genpkey -algorithm ed25519)
  --no-archive         without the .tar.gz
  --no-deb             without the Debian package
  --clients FOLDER     the client libraries as npm run package:clients made them (default: made anew)
  --tree               only the tree itself, as FOLDER/acuse`;

const OPTIONS = {
  out: { type: 'string', default: 'dist' },
  'sign-with': { type: 'string' },
  'no-archive': { type: 'boolean', default: false },
  'no-deb': { type: 'boolean', default: false },
  clients: { type: 'string' },
  tree: { type: 'boolean', default: false },
};

async function main() {
  let values;
  try {
    ({ values } = parseArgs({ options: OPTIONS }));
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  if (!hasNpm()) return 2;
  const out = resolve(root, values.out);
  if (existsSync(out) && readdirSync(out).length > 0) {
    console.error(`${out} is not empty: remove it, or name another folder with --out`);
    return 2;
  }
  const facts = readFacts();
  const name = values.tree ? 'acuse' : `acuse-${facts.version}-${facts.platform}`;
  const tree = join(out, name);
  mkdirSync(tree, { recursive: true });
  const { shipped, native } = await makeTree(tree, facts, values.clients ?? null);
  console.log(
    `${shipped.length} packages and ${native.length} native libraries ship, all of them permissive`,
  );
  if (values.tree) return 0;
  const files = [`${name}.cdx.json`];
  copyFileSync(join(tree, 'sbom.cdx.json'), join(out, files[0]));
  if (!values['no-archive']) {
    files.push(`${name}.tar.gz`);
    packTree(tree, join(out, `${name}.tar.gz`), facts.time);
  }
  if (!values['no-deb'] && hasDpkg()) files.push(makeDeb(tree, out, facts));
  rmSync(tree, { recursive: true, force: true });
  const provenance = writeProvenance(out, files, name, facts);
  writeSums(out, [...files, provenance]);
  if (values['sign-with'] !== undefined) {
    signSums(out, resolve(values['sign-with']));
    signProvenance(out, provenance, resolve(values['sign-with']));
  }
  for (const file of readdirSync(out).sort()) console.log(join(out, file));
  return 0;
}

/** Before the minutes that a build takes: `npm sbom` writes the bill of materials. */
function hasNpm() {
  const version = execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim();
  if (Number(version.split('.')[0]) >= NPM_MIN) return true;
  console.error(
    `npm ${NPM_MIN} or newer is needed (npm sbom), this is ${version}: npm install --global npm@${NPM_MIN}`,
  );
  return false;
}

function hasDpkg() {
  if (spawnSync('dpkg-deb', ['--version'], { stdio: 'ignore' }).status === 0) return true;
  console.error('skipped: the Debian package needs dpkg-deb, which is not installed');
  return false;
}

process.exitCode = await main();

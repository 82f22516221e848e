// How a release was made, as SLSA's provenance (in-toto Statement v1): which files, of which commit, with
// which tools. It depends on these alone, so that whoever builds the commit again gets the same statement.
import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const STATEMENT = 'https://in-toto.io/Statement/v1';
const PREDICATE = 'https://slsa.dev/provenance/v1';
const PAYLOAD = 'application/vnd.in-toto+json';
/** The build of docs/packages.md: npm ci, npm run package. */
const BUILD_TYPE = 'https://acuse.dev/build/npm-run-package/v1';
const BUILDER = 'https://acuse.dev/build/by-the-publisher';

const digestOf = (path) => ({ sha256: createHash('sha256').update(readFileSync(path)).digest('hex') });

/** `names`: files in `folder`. */
export function statementOf(folder, names, facts) {
  const commit = commitOf();
  return {
    _type: STATEMENT,
    subject: [...names].sort().map((name) => ({ name, digest: digestOf(join(folder, name)) })),
    predicateType: PREDICATE,
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { version: facts.version, platform: facts.platform },
        internalParameters: { sourceDateEpoch: facts.time.getTime() / 1000, node: process.version },
        resolvedDependencies: [
          ...(commit === null ? [] : [{ name: 'sources', digest: { gitCommit: commit } }]),
          { name: 'package-lock.json', digest: digestOf(join(root, 'package-lock.json')) },
        ],
      },
      runDetails: { builder: { id: BUILDER } },
    },
  };
}

/** Null: these sources are no git checkout. */
function commitOf() {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['rev-parse', 'HEAD'], options).trim();
  } catch {
    return null;
  }
}

/** Writes the statement of these files, and returns the name of the file that it is in. */
export function writeProvenance(folder, names, name, facts) {
  const file = `${name}.provenance.json`;
  writeFileSync(join(folder, file), `${JSON.stringify(statementOf(folder, names, facts))}\n`);
  return file;
}

/** The statement in an envelope (DSSE v1) with the signature of the release's key: `<name>.intoto.jsonl`. */
export function signProvenance(folder, file, keyFile) {
  const key = createPrivateKey(readFileSync(keyFile));
  const payload = readFileSync(join(folder, file));
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const envelope = {
    payloadType: PAYLOAD,
    payload: payload.toString('base64'),
    signatures: [
      {
        keyid: createHash('sha256').update(der).digest('hex'),
        sig: sign(null, preAuthenticated(payload), key).toString('base64'),
      },
    ],
  };
  const name = file.replace(/\.provenance\.json$/, '.intoto.jsonl');
  writeFileSync(join(folder, name), `${JSON.stringify(envelope)}\n`);
  return name;
}

/** The bytes that DSSE signs: type and payload, each with its length before it. */
export function preAuthenticated(payload) {
  const head = `DSSEv1 ${PAYLOAD.length} ${PAYLOAD} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

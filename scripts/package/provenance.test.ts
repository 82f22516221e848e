import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { preAuthenticated, signProvenance, writeProvenance } from './provenance.mjs';

const FACTS = { version: '1.0.0', platform: 'linux-x64', time: new Date(1_800_000_000_000) };

/** A release of two files, and what is said of it. */
function release() {
  const folder = tempFolder();
  for (const name of ['b.deb', 'a.tar.gz']) writeFileSync(join(folder, name), name);
  const file: string = writeProvenance(folder, ['b.deb', 'a.tar.gz'], 'acuse-1.0.0', FACTS);
  return { folder, file, text: readFileSync(join(folder, file), 'utf8') };
}

test('the provenance names each file with its hash, the commit and the lock file, in the form of SLSA', () => {
  const { file, text } = release();
  expect(file).toBe('acuse-1.0.0.provenance.json');
  const lock = createHash('sha256').update(readFileSync(new URL('../../package-lock.json', import.meta.url)));
  expect(JSON.parse(text)).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: ['a.tar.gz', 'b.deb'].map((name) => ({
      name,
      digest: { sha256: createHash('sha256').update(name).digest('hex') },
    })),
    predicate: {
      buildDefinition: {
        buildType: expect.stringMatching(/^https:/),
        externalParameters: { version: '1.0.0', platform: 'linux-x64' },
        resolvedDependencies: expect.arrayContaining([
          { name: 'package-lock.json', digest: { sha256: lock.digest('hex') } },
        ]),
      },
      runDetails: { builder: { id: expect.stringMatching(/^https:/) } },
    },
  });
  expect(release().text).toBe(text);
});

test('its envelope verifies with the public key of the release, and no longer once a byte is another', () => {
  const { folder, file } = release();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const keyFile = join(tempFolder(), 'release.pem');
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const name: string = signProvenance(folder, file, keyFile);
  const envelope = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  expect(envelope.payloadType).toBe('application/vnd.in-toto+json');
  const payload = Buffer.from(envelope.payload, 'base64');
  expect(payload).toEqual(readFileSync(join(folder, file)));
  const signature = Buffer.from(envelope.signatures[0].sig, 'base64');
  const holds = (bytes: Buffer) => verify(null, preAuthenticated(bytes), publicKey, signature);
  expect(holds(payload)).toBe(true);
  payload[10]! ^= 1;
  expect(holds(payload)).toBe(false);
});

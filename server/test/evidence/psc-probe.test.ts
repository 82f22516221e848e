import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAuthorityManifest } from '../../src/evidence/stamp/authority-manifest.ts';
import { acuse } from '../cli/run.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let base: string;
let other: Server;
let answer: (body: Buffer) => Buffer | Promise<Buffer>;
beforeAll(async () => {
  service = await startTestService();
  base = await service.http.app.listen({ host: '127.0.0.1', port: 0 });
  other = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end(await answer(Buffer.concat(chunks)));
  });
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  other?.close();
  await service?.stop();
});

const otherUrl = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

test('what an authority is is printed, with a manifest that is one', async () => {
  const root = join(tempFolder(), 'psc-root.pem');
  writeFileSync(root, service.services.authority.policy.roots[0]!);
  const { code, json } = await acuse(['psc', 'probe', `${base}/tsa`, '--root', root, '--json']);
  expect([
    code,
    json.probed.map(({ hash, problems }: { hash: string; problems: string[] }) => [hash, problems]),
  ]).toEqual([
    0,
    [
      ['sha256', []],
      ['sha512', []],
    ],
  ]);
  const { policy, service: asked } = readAuthorityManifest(json.manifest, () => '');
  expect([policy.profile, asked.url]).toEqual(['rfc3161', `${base}/tsa`]);
  const file = join(tempFolder(), 'psc.json');
  const probed = ['psc', 'probe', `${base}/tsa`, '--root', root, '--out', file];
  const said = await acuse(probed);
  expect(said.out).toMatch(/^✓ by SHA-256\n/);
  expect(said.out).toContain(`It is in ${file}`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(json.manifest);
  // Two time-stamps cost something: an authority is not asked when the answer would have no place.
  const refused = await acuse(probed.with(2, 'http://127.0.0.1:9/tsa'));
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('it already exists')]);
});

test('what is no time-stamp, another root and a token of another hash are said to be that', async () => {
  answer = () => Buffer.from('%PDF-1.7 constancia');
  const pdf = await acuse(['psc', 'probe', otherUrl()]);
  expect([pdf.code, pdf.out]).toEqual([1, expect.stringContaining('is not a time-stamp in DER')]);
  const first: Buffer[] = [];
  answer = async (body) => {
    first.push(body);
    const { raw } = await service.call('POST', '/tsa', {
      key: null,
      body: first[0]!,
      headers: { 'content-type': 'application/timestamp-query' },
    });
    return raw;
  };
  const replayed = await acuse(['psc', 'probe', otherUrl(), '--json']);
  expect(replayed.json.probed[1].problems.join()).toMatch(/imprint|nonce/);
  const nobody = await acuse(['psc', 'probe', 'http://127.0.0.1:9/tsa']);
  expect(nobody.code).toBe(3);
});

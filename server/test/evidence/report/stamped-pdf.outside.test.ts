import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { positiveSerial } from '@acuse/tsa/certificates';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { makeCrl } from '@acuse/tsa/revocation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EvidenceApi, openEvidenceApi } from '../evidence-api.ts';
import { openSealingWorld, sealAll } from '../seal-all.ts';
import { addMessages, authoritiesOf, startTsa, type World } from '../support.ts';

/** The PDF as another program judges it: pyHanko, put together in packages/testkit/interop/pyhanko. */
const run = promisify(execFile);
const SOURCE = resolve(import.meta.dirname, '../../../../packages/testkit/interop/pyhanko');
/** Where there is no network that is not always said at once (ms). */
const INSTALLED_WITHIN_MS = 300_000;
const { python, missing } = await install();

/** On first use, beside what npm installs. */
async function install(): Promise<{ python: string; missing: string | null }> {
  const requirements = join(SOURCE, 'requirements.txt');
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const cache = resolve(SOURCE, '../../../../node_modules/.cache/acuse-pyhanko');
  const folder = join(cache, version);
  const python = join(folder, 'bin/python');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return { python, missing: null };
  mkdirSync(cache, { recursive: true });
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', requirements];
  try {
    await run('python3', ['-m', 'venv', '--clear', folder], { timeout: INSTALLED_WITHIN_MS });
    await run(python, pip, { timeout: INSTALLED_WITHIN_MS });
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') return { python, missing: 'skipped: needs python3' };
    return { python, missing: `skipped: needs pyHanko: ${(stderr ?? '').trim().split('\n').at(-1)}` };
  }
  writeFileSync(complete, '');
  return { python, missing: null };
}

describe.skipIf(missing !== null)(`pyHanko${missing === null ? '' : ` (${missing})`}`, () => {
  const folder = tempFolder();
  const lab = new FaultLab(() => new Date(), randomBytes);
  let lists: Server;
  let world: World;
  let api: EvidenceApi;
  let pdf: Buffer;

  beforeAll(async () => {
    const [day, now] = [86_400_000, Date.now()];
    const list = makeCrl({
      issuer: lab.root,
      thisUpdate: new Date(now - day),
      nextUpdate: new Date(now + day),
    });
    lists = createServer((_, answer) => answer.setHeader('content-type', 'application/pkix-crl').end(list));
    lists.listen(0, '127.0.0.1');
    await once(lists, 'listening');
    const crlUrl = `http://127.0.0.1:${(lists.address() as AddressInfo).port}/root.crl`;
    const responder = {
      ...lab.responder,
      clock: () => new Date(),
      signer: lab.signerWith({ crlUrl }),
      serial: () => positiveSerial(randomBytes),
    };
    const policy = { ...lab.policy, roots: [certificateToPem(lab.root.der)] };
    const opened = await openSealingWorld(startTsa(undefined, { responder, policy }));
    world = opened.world;
    api = await openEvidenceApi(world, authoritiesOf(world, opened.tsa));
    const key = await api.keyWith(opened.tenantId, ['evidence:read', 'messages:send']);
    const [message] = await addMessages(world.db, world.log, opened.tenantId, 1);
    await sealAll(world, opened.tsa);
    const answer = await api.app.inject({
      method: 'GET',
      url: `/v1/messages/${message!.messageId}/proof-bundle`,
      headers: { authorization: `Bearer ${key}`, accept: 'application/pdf' },
    });
    pdf = answer.rawPayload;
    writeFileSync(join(folder, 'root.pem'), certificateToPem(lab.root.der));
  });
  afterAll(async () => {
    lists?.close();
    await api?.close();
    await world?.close();
  });

  async function judge(bytes: Uint8Array): Promise<string> {
    writeFileSync(join(folder, 'x.pdf'), bytes);
    const args = [join(SOURCE, 'judge.py'), join(folder, 'x.pdf'), join(folder, 'root.pem')];
    return (await run(python, args)).stdout.trim();
  }

  test('finds the time-stamp intact and trusted, over all but what is added to judge it later, and no other signature', async () => {
    expect(await judge(pdf)).toBe(
      'intact True valid True trusted True ENTIRE_REVISION LTA_UPDATES; 1 time-stamp, 0 others; 2 certificates, 1 list',
    );
  });

  test('finds one changed byte', async () => {
    const changed = Buffer.from(pdf);
    const at = pdf.indexOf('/Type /EmbeddedFile') + 300;
    changed[at]! ^= 1;
    expect(await judge(changed)).toMatch(/^intact False valid \w+ trusted False/);
  });
});

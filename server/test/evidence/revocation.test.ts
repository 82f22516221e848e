import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Bundle, writeBundle } from '@acuse/evidence/bundle';
import { toHex } from '@acuse/evidence/bytes';
import { readCertificate } from '@acuse/evidence/timestamp/certificate';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { verifyEntries } from '@acuse/evidence/verify';
import { eventually, PATIENCE_MS } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { type Issued, issuedToPem, positiveSerial } from '@acuse/tsa/certificates';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { makeCrl } from '@acuse/tsa/revocation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../src/cli/demo/openssl.ts';
import { readProofBundle } from '../../src/evidence/bundle/proof-bundle.ts';
import { createSealMessage } from '../../src/evidence/bundle/seal-on-demand.ts';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { createRevocationGatherer } from '../../src/evidence/stamp/revocation-gather.ts';
import type { Sealer } from '../../src/evidence/stamp/sealer.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { openSealingWorld, renewAll, sealAll } from './seal-all.ts';
import {
  addMessages,
  authoritiesOf,
  sealerOf,
  startTsa,
  type TestMessage,
  type TestTsa,
  type World,
} from './support.ts';

/**
 * The authority's own word on its certificates, as it is given in the wild: `openssl ocsp` answers, and a
 * list is there over HTTP.
 */

const DAY_MS = 86_400_000;
const lab = new FaultLab(() => new Date(), randomBytes);
const folder = tempFolder();
let ocsp: ChildProcess | undefined;
let ocspPort = 0;
let lists: Server;
let listUrl: string;
let list: () => Uint8Array;
let listRequests = 0;
let signer: Issued;
let tsa: TestTsa;
let world: World;
let tenantId: string;

beforeAll(async () => {
  lists = createServer((_request, answer) => {
    listRequests++;
    answer.setHeader('content-type', 'application/pkix-crl').end(list());
  });
  lists.listen(0, '127.0.0.1');
  await once(lists, 'listening');
  listUrl = `http://127.0.0.1:${(lists.address() as AddressInfo).port}/root.crl`;
  const root = issuedToPem(lab.root);
  writeFileSync(join(folder, 'root.pem'), root.certificate);
  writeFileSync(join(folder, 'root.key'), root.privateKey);
  await answerOcsp(null);
  signer = lab.signerWith({ ocspUrl: `http://127.0.0.1:${ocspPort}`, crlUrl: listUrl });
  ({ world, tsa, tenantId } = await openSealingWorld(
    startTsa(undefined, {
      responder: {
        ...lab.responder,
        clock: () => new Date(),
        signer,
        serial: () => positiveSerial(randomBytes),
      },
      policy: { ...lab.policy, roots: [certificateToPem(lab.root.der)] },
    }),
  ));
});
afterAll(async () => {
  ocsp?.kill();
  lists.close();
  await world.close();
});
beforeEach(() => {
  list = () => makeCrl({ issuer: lab.root, ...today() });
});
afterEach(() => world.db.execute('update authorities set failures = 0, paused_until = null'));

const today = () => ({
  thisUpdate: new Date(Date.now() - DAY_MS),
  nextUpdate: new Date(Date.now() + DAY_MS),
});

/** A real responder, and what it says of the signer: valid, revoked an hour ago, or that it knows nobody. */
async function answerOcsp(status: 'V' | 'R' | null): Promise<void> {
  if (ocsp !== undefined) {
    ocsp.kill();
    await once(ocsp, 'exit');
  }
  writeFileSync(join(folder, 'index.txt'), status === null ? '' : indexLine(status));
  const args = [
    '-index',
    'index.txt',
    '-CA',
    'root.pem',
    '-rsigner',
    'root.pem',
    '-rkey',
    'root.key',
    '-nmin',
    '5',
  ];
  ocsp = spawn('openssl', ['ocsp', '-port', String(ocspPort), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [ocsp.stdout!, ocsp.stderr!])
    createInterface(stream).on('line', (line) => void lines.push(line));
  ocspPort = Number(await eventually(() => /ACCEPT .*?:(\d+)/.exec(lines.join('\n'))?.[1]));
}

function indexLine(status: 'V' | 'R'): string {
  const { serialNumber, notAfter } = readCertificate(signer.der);
  const time = (date: Date) => `${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`;
  const revoked = status === 'R' ? time(new Date(Date.now() - 3_600_000)) : '';
  const serial = toHex(serialNumber).toUpperCase();
  return `${[status, time(notAfter), revoked, serial, 'unknown', '/CN=Test TSA'].join('\t')}\n`;
}

// A gatherer of its own: nothing that was fetched before.
const authorities = (...sealers: Sealer[]) => authoritiesOf(world, ...sealers);

const under = (change: Partial<TimeStampPolicy>): Sealer =>
  sealerOf(tsa, { policy: { ...tsa.policy, ...change } });

async function sealed(...sealers: Sealer[]): Promise<TestMessage> {
  const [message] = await addMessages(world.db, world.log, tenantId, 1);
  await sealAll(world, sealers);
  return message!;
}

const bundleOf = async (message: TestMessage): Promise<Bundle> =>
  (await readProofBundle(world, tenantId, message.messageId)).bundle;

const revocationOf = (bundle: Bundle) => [...bundle.keys()].filter((name) => name.startsWith('revocation/'));
const wanted = () => ({
  imprint: new Uint8Array(32),
  hashAlgorithm: 'sha256' as const,
  notBefore: new Date(),
});
const obtain = (...sealers: Sealer[]) =>
  authorities(...sealers).obtain(wanted(), AbortSignal.timeout(PATIENCE_MS));

describe('with a responder that answers', () => {
  beforeAll(() => answerOcsp('V'));

  it('its answer is stored with the constancia, stands in the bundle and verifies offline', async () => {
    const message = await sealed(under({ revocation: 'required' }));
    const bundle = await bundleOf(message);
    expect(revocationOf(bundle)).toEqual([expect.stringMatching(/^revocation\/[0-9a-f]{64}\.ocsp$/)]);
    const { valid, checks } = await verifyEntries(bundle, { sha256, now: new Date() });
    expect(valid).toBe(true);
    expect(checks.find(({ name }) => name === 'timestamp_revocation')!.detail).toMatch(
      /CN=Test TSA.* was good at/,
    );
  });

  it('OpenSSL reads it by the commands of VERIFY.md', async () => {
    const bundle = await bundleOf(await sealed(under({})));
    const target = tempFolder();
    unpackBundle(writeBundle(bundle), target);
    const guide = Buffer.from(bundle.get('VERIFY.md')!).toString();
    expect(guide).toContain('openssl ocsp -respin');
    const commands = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!).join('\n');
    const run = spawnSync('sh', ['-e', '-c', commands], { cwd: target, encoding: 'utf8' });
    expect(`${run.status}: ${run.stdout}${run.stderr}`).toMatch(/^0: /);
    expect(run.stdout).toMatch(/Response verify OK[\s\S]*Cert Status: good/);
  });

  it('a constancia on demand carries it too', async () => {
    const message = await sealed(sealerOf(tsa));
    const seal = createSealMessage({ ...world, authorities: authorities(under({})) });
    await seal(tenantId, message.messageId);
    const { valid, checks } = await verifyEntries(await bundleOf(message), { sha256, now: new Date() });
    expect(valid).toBe(true);
    const own = checks.find(({ name }) => name === 'message_timestamp_revocation')!;
    expect(own.detail).toContain('was good at');
  });

  it('a signer that was revoked is not believed: another authority seals, or nobody', async () => {
    await answerOcsp('R');
    expect(await obtain(under({}))).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/CN=Test TSA.* was revoked at/),
    });
    const other = await startTsa();
    const fallback = sealerOf(other, { name: 'other' });
    expect(await obtain(under({}), fallback)).toMatchObject({
      kind: 'sealed',
      stamp: { authority: 'other' },
    });
    await other.close();
  });
});

describe('with a responder that does not know', () => {
  beforeAll(() => answerOcsp(null));

  it('the list serves, fetched once for many stamps', async () => {
    const before = listRequests;
    const all = authorities(under({ revocation: 'required' }));
    for (let i = 0; i < 5; i++) {
      const obtained = await all.obtain(wanted(), AbortSignal.timeout(PATIENCE_MS));
      expect(obtained).toMatchObject({
        kind: 'sealed',
        stamp: { revocation: [{ kind: 'crl', sourceUrl: listUrl }] },
      });
    }
    expect(listRequests).toBe(before + 1);
  });

  it('it is in the bundle as it came', async () => {
    const bundle = await bundleOf(await sealed(under({})));
    const [name] = revocationOf(bundle);
    expect(name).toMatch(/\.crl$/);
    expect((await verifyEntries(bundle, { sha256, now: new Date() })).valid).toBe(true);
    expect(Buffer.from(bundle.get('VERIFY.md')!).toString()).toContain(`openssl crl -inform DER -in ${name}`);
  });

  it('a signer on the list is not believed', async () => {
    const { serialNumber } = readCertificate(signer.der);
    const at = new Date(Date.now() - 3_600_000);
    list = () => makeCrl({ issuer: lab.root, ...today(), revoked: [{ serialNumber, at }] });
    expect(await obtain(under({}))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining(`says ${listUrl}`),
    });
  });

  it.each<[string, () => Uint8Array]>([
    ['HTML', () => Buffer.from('<html>')],
    ['more than any list', () => Buffer.alloc(5 * 1024 * 1024)],
    [
      'a list that is out of date',
      () => makeCrl({ issuer: lab.root, thisUpdate: new Date(0), nextUpdate: new Date(1) }),
    ],
    ['a list of another authority', () => makeCrl({ issuer: lab.authority('other'), ...today() })],
  ])('%s for a list seals all the same, unless the manifest requires more', async (_name, bytes) => {
    list = bytes;
    expect(await obtain(under({}))).toMatchObject({ kind: 'sealed', stamp: { revocation: [] } });
    expect(await obtain(under({ revocation: 'required' }))).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/nothing shows that its certificates are not revoked: .*root.crl/),
    });
  });
});

it('a responder that hangs holds a stamp up no longer than it may', async () => {
  const hanging = createServer(() => {});
  hanging.listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  const { port } = hanging.address() as AddressInfo;
  const slow = lab.signerWith({ ocspUrl: `http://127.0.0.1:${port}` });
  const gatherer = createRevocationGatherer(world.clock);
  const started = performance.now();
  const gathered = await gatherer.gather([slow.der, lab.root.der], new Date(), AbortSignal.timeout(300));
  expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
  expect(gathered).toMatchObject({ pieces: [], problems: [expect.stringContaining(String(port))] });
  hanging.closeAllConnections();
  hanging.close();
});

describe('fsck', () => {
  it('holds revocation data against the chains that it speaks of', async () => {
    expect((await fsck(world)).problems).toEqual([]);
  });

  it.each([
    ['gone', "delete from revocation_data where kind = 'ocsp'", /is missing or different/],
    ['another one', "update revocation_data set content = 'x' where kind = 'crl'", /is missing or different/],
  ])('sees data that is %s', async (_name, tampering, finding) => {
    await world.db.execute(tampering);
    const found = (await fsck(world)).problems.map(({ check, detail }) => `${check}: ${detail}`);
    expect(found.length).toBeGreaterThan(0);
    for (const line of found) expect(line).toMatch(finding);
  });
});

describe('renewed', () => {
  beforeAll(() => answerOcsp('V'));

  it('it is covered by the renewal, which brings its own', async () => {
    const message = await sealed(under({ revocation: 'required' }));
    const before = revocationOf(await bundleOf(message));
    const notAfter = new Date(Date.now() + 12 * 365 * DAY_MS);
    const lasting = lab.signerWith({ crlUrl: listUrl, notAfter });
    const responder = { ...lab.responder, clock: () => new Date(), signer: lasting };
    const second = await startTsa(undefined, {
      responder: { ...responder, serial: () => positiveSerial(randomBytes) },
      policy: tsa.policy,
    });
    try {
      const sealer = sealerOf(second, { policy: { ...tsa.policy, revocation: 'required' } });
      const renewed = await renewAll(world, sealer, { renewBeforeMs: 10 * 365 * DAY_MS });
      expect(renewed).toMatchObject({ postponed: 0, reasons: [] });
      const bundle = await bundleOf(message);
      const sums = Buffer.from(bundle.get('renewal/01.sums')!).toString();
      expect(sums.match(/revocation\/.*/g)).toEqual(before);
      expect(revocationOf(bundle)).toEqual(
        expect.arrayContaining([...before, expect.stringMatching(/\.crl$/)]),
      );
      const { valid, checks } = await verifyEntries(bundle, { sha256, now: new Date(), at: new Date() });
      expect([valid, checks.find(({ name }) => name === 'renewal.01_revocation')?.ok]).toEqual([true, true]);
      const { proof } = await readProofBundle(world, tenantId, message.messageId);
      const { problems } = await fsck(world);
      expect(problems.filter(({ subject }) => subject.includes(`checkpoint ${proof.treeSize}`))).toEqual([]);
    } finally {
      await second.close();
    }
  });
});

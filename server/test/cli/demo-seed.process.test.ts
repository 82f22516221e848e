import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBundle } from '@acuse/evidence/verify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { type CommandProcess, startCommand } from '../support/command-process.ts';
import { createProcesses, type Service } from '../support/process.ts';

/** `acuse demo --seed` as a process, and the service that runs on what it left. */
const DAY_MS = 86_400_000;
const processes = createProcesses();
let dataDir: string;
let seeded: CommandProcess;
let service: Service;

function demo(folder: string, env: Record<string, string> = {}): CommandProcess {
  return startCommand(['demo', '--seed', '--json'], { ACUSE_DATA_DIR: folder, ...env });
}

beforeAll(async () => {
  dataDir = join(processes.folder(), 'data');
  seeded = demo(dataDir);
  expect([await seeded.ended, seeded.stderr()]).toEqual([0, '']);
  service = await processes.start({ dataDir, env: { ACUSE_MASTER_KEY: '' } });
});
afterAll(processes.end);

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly certified: boolean;
  readonly created_at: string;
  readonly sealed_at: string | null;
}

interface Asked extends Listed {
  readonly acknowledgement: { readonly source: string | null };
}

async function all(path: string): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await service.call('GET', `${path}limit=100${cursor === '' ? '' : `&after=${cursor}`}`);
    found.push(...body.data);
    cursor = body.next_cursor;
  }
  return found;
}

test('two weeks of mail with every outcome, each certified message sealed at its time', async () => {
  const messages = await all('/v1/messages?');
  const { messages: told } = JSON.parse(seeded.stdout());
  expect(messages.length).toBeGreaterThanOrEqual(told);
  const statuses = new Set(messages.map(({ status }) => status));
  for (const status of ['sent', 'deferred', 'bounced', 'complained', 'cancelled', 'scheduled'])
    expect(statuses).toContain(status);
  const days = new Set(messages.map(({ created_at }) => created_at.slice(0, 10)));
  expect(days.size).toBeGreaterThanOrEqual(13);
  expect(Math.min(...messages.map(({ created_at }) => Date.parse(created_at)))).toBeLessThan(
    Date.now() - 12 * DAY_MS,
  );
  for (const { certified, created_at, sealed_at } of messages.filter(({ certified }) => certified)) {
    expect([certified, sealed_at !== null]).toEqual([true, true]);
    const waitedMs = Date.parse(sealed_at!) - Date.parse(created_at);
    expect(waitedMs >= -1_000 && waitedMs < DAY_MS / 24).toBe(true);
  }
  const answers: string[] = [];
  for (const status of ['acknowledged', 'refused', 'unanswered', 'requested'])
    for (const { acknowledgement } of (await all(`/v1/messages?acknowledgement=${status}&`)) as Asked[])
      answers.push(`${status} ${acknowledgement.source}`);
  expect([...new Set(answers)].sort()).toEqual([
    ...['acknowledged recipient_page', 'acknowledged reported_by_mail', 'refused recipient_page'],
    ...['requested null', 'unanswered operator'],
  ]);
  const { body: rates } = await service.call('GET', '/v1/rates?days=14');
  for (const counter of ['ingested', 'sent', 'deferred', 'bounced', 'complained', 'sealed'])
    expect(rates.counters[counter]).toBeGreaterThan(0);
});

test('its evidence verifies from outside, and fsck finds nothing', async () => {
  const [first] = (await all('/v1/messages?tag=contrato&sealed=true&')).slice(-1);
  const answer = await fetch(`${service.baseUrl}/v1/messages/${first!.id}/proof-bundle`, {
    headers: { authorization: `Bearer ${service.sandbox.api_key}` },
  });
  const verification = await verifyBundle(new Uint8Array(await answer.arrayBuffer()), {
    sha256,
    now: new Date(),
  });
  expect(verification.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(verification.valid).toBe(true);
  const fsck = startCommand(['fsck'], { ACUSE_DATA_DIR: dataDir });
  expect([await fsck.ended, fsck.stdout()]).toEqual([0, expect.not.stringContaining('✗')]);
});

test('webhooks with failures, domains, templates, suppressions, verifications, a resend', async () => {
  const read = async (path: string) => (await service.call('GET', `/v1/${path}`)).body.data;
  const [webhooks, domains] = [await read('webhooks'), await read('domains')];
  const deliveries: { status: string }[] = [];
  for (const { id } of webhooks) deliveries.push(...(await read(`webhooks/${id}/deliveries?limit=100`)));
  expect(deliveries.map(({ status }) => status)).toEqual(expect.arrayContaining(['delivered', 'failed']));
  expect(webhooks.map(({ enabled }: { enabled: boolean }) => enabled)).toContain(false);
  const states = domains.map(({ status }: { status: string }) => status);
  expect(states).toEqual(expect.arrayContaining(['verified', 'pending', 'failing']));
  expect(await read('templates')).toHaveLength(2);
  expect((await read('suppressions')).length).toBeGreaterThan(2);
  expect((await read('verifications')).length).toBeGreaterThan(0);
  const keys = (await read('messages?tag=factura&limit=100')).map(
    ({ idempotency_key: key }: { idempotency_key: string }) => key,
  );
  expect(keys).toContain('reenvio-1');
});

test('proofs that were shared: opened, expired, revoked, in part, and not opened yet', async () => {
  const { data: log } = (await service.call('GET', '/v1/verifications?limit=100')).body;
  const openings = log.filter(({ actor }: { actor: { kind: string } }) => actor.kind === 'share');
  expect(openings).toHaveLength(8);
  const { url } = JSON.parse(await ownersLink()) as { url: string };
  const cookie = await signIn(new URL(url).hash.slice(1));
  const shares: Shared[] = [];
  for (const { id } of await all('/v1/messages?tag=contrato&sealed=true&')) {
    const answer = await fetch(`${service.baseUrl}/v1/portal/messages/${id}/shares`, { headers: { cookie } });
    shares.push(...((await answer.json()) as { data: Shared[] }).data);
  }
  expect(shares.every(({ created_by: by }) => by.name === 'Elena Márquez')).toBe(true);
  const now = new Date().toISOString();
  const states = shares.map(({ revoked_at: revoked, expires_at: until, opened }) => [
    revoked !== null ? 'revoked' : until < now ? 'expired' : 'open',
    opened,
  ]);
  expect(states.sort()).toEqual([
    ['expired', 2],
    ['open', 0],
    ['open', 1],
    ['open', 4],
    ['revoked', 1],
  ]);
  expect(shares.map(({ disclose }) => disclose.parts)).toContainEqual([1]);
});

test('attachments of each kind, with accents in their names', async () => {
  const names = async (tag: string) => {
    const [{ id }] = (await service.call('GET', `/v1/messages?tag=${tag}&limit=1`)).body.data;
    const { parts } = (await service.call('GET', `/v1/messages/${id}/parts`)).body;
    return parts.map((part: { media_type: string; filename: string | null }) => [
      part.media_type,
      part.filename,
    ]);
  };
  expect(await names('factura')).toEqual(
    expect.arrayContaining([
      ['application/pdf', expect.stringMatching(/^Factura A-\d+ .+\.pdf$/)],
      ['application/xml', expect.stringMatching(/^A-\d+ .+\.xml$/)],
    ]),
  );
  expect(await names('contrato')).toContainEqual([
    'application/pdf',
    expect.stringMatching(/^Contrato GA-\d+-2026 – .+\.pdf$/),
  ]);
  expect(await names('aviso&to=ti@hotelmirador.example')).toContainEqual([
    'image/png',
    'gráfica-de-ventas.png',
  ]);
});

interface Shared {
  readonly created_by: { readonly name: string };
  readonly disclose: { readonly parts: readonly number[] };
  readonly expires_at: string;
  readonly revoked_at: string | null;
  readonly opened: number;
}

async function ownersLink(): Promise<string> {
  const owner = 'elena.marquez@grupoalameda.example';
  const link = startCommand(['users', 'link', owner, '--json'], { ACUSE_DATA_DIR: dataDir });
  expect(await link.ended).toBe(0);
  return link.stdout();
}

async function signIn(link: string): Promise<string> {
  const answer = await fetch(`${service.baseUrl}/v1/portal/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ link }),
  });
  expect(answer.status).toBe(200);
  return answer.headers.getSetCookie()[0]!.split(';', 1)[0]!;
}

test('people of each role; its owner gets a link to the portal', async () => {
  const users = startCommand(['users', 'list', '--json'], { ACUSE_DATA_DIR: dataDir });
  expect(await users.ended).toBe(0);
  const { data } = JSON.parse(users.stdout()) as { data: { email: string }[] };
  for (const name of ['elena.marquez', 'hugo.serrano', 'patricia.lira'])
    expect(data.map(({ email }) => email)).toContain(`${name}@grupoalameda.example`);
  const owner = data.map(({ email }) => email).find((email) => email.startsWith('elena.marquez@'))!;
  const link = startCommand(['users', 'link', owner], { ACUSE_DATA_DIR: dataDir });
  expect([await link.ended, link.stdout()]).toEqual([0, expect.stringContaining('Signs elena.marquez@')]);
});

test('time goes on from there: a new message is dated now and sealed', async () => {
  const { body } = await service.send({ certified: true });
  await service.until(body.id, 'sent');
  expect(Math.abs(Date.now() - Date.parse(body.created_at))).toBeLessThan(DAY_MS / 24);
});

test('again it changes nothing; a folder in use is refused with the way to another', async () => {
  await service.stop();
  const again = demo(dataDir);
  expect(await again.ended).toBe(0);
  expect(JSON.parse(again.stdout())).toMatchObject({ filled: false });
  rmSync(join(dataDir, 'demo'), { recursive: true });
  const used = demo(dataDir);
  expect(await used.ended).toBe(1);
  expect(JSON.parse(used.stdout()).error).toMatchObject({
    code: 'data_folder_not_new',
    message: expect.stringContaining('ACUSE_DATA_DIR=./demo-data npm run demo -- --seed'),
  });
  const foreign = demo(join(processes.folder(), 'x'), { DATABASE_URL: 'postgresql:///x' });
  expect(await foreign.ended).toBe(2);
});

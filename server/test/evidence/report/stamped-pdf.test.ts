import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '@acuse/evidence/bundle';
import { verifyBundle } from '@acuse/evidence/verify';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleOfPdf } from '../../../src/cli/pdf-bundle.ts';
import { fsck } from '../../../src/evidence/fsck/fsck.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { sha256 } from '../../../src/platform/sha256.ts';
import { attempt } from '../deliveries.ts';
import { type EvidenceApi, openEvidenceApi } from '../evidence-api.ts';
import { openSealingWorld, sealAll } from '../seal-all.ts';
import {
  addMessages,
  authoritiesOf,
  honest,
  sealerOf,
  startTsa,
  type TestMessage,
  type TestTsa,
  type World,
} from '../support.ts';

const PRICE_MICROS = 35_000_000;
const DAY_MS = 86_400_000;
const sealer = () => sealerOf(tsa, { priceMicros: PRICE_MICROS });

/** How much later it is there than here (ms). */
let later = 0;
let world: World;
let tsa: TestTsa;
let api: EvidenceApi;
let tenantId: string;
let key: string;
let reader: string;
let message: TestMessage;

beforeAll(async () => {
  const now = () => new Date(Date.now() + later);
  ({ world, tsa, tenantId } = await openSealingWorld(startTsa(now), { ...systemClock, now }));
  api = await openEvidenceApi(world, authoritiesOf(world, sealer()));
  key = await api.keyWith(tenantId, ['evidence:read', 'messages:send']);
  reader = await api.keyWith(tenantId, ['evidence:read']);
  [message] = (await addMessages(world.db, world.log, tenantId, 1)) as [TestMessage];
  await sealAll(world, tsa);
});
afterAll(async () => {
  await api.close();
  await world.close();
});
beforeEach(() => tsa.behave(honest));

const get = (accept?: string, from = api, { messageId } = message, by = key) =>
  from.app.inject({
    method: 'GET',
    url: `/v1/messages/${messageId}/proof-bundle`,
    headers: { authorization: `Bearer ${by}`, ...(accept && { accept }) },
  });
const bought = async () =>
  (
    await world.db.query(
      "select coalesce(sum(items), 0)::int as items, coalesce(sum(cost_micros), 0)::bigint as cost from sealing_costs where kind = 'message'",
    )
  )[0];
const afterBuying = (items: number) => ({ items, cost: items * PRICE_MICROS });

describe('the report as a PDF with a document time-stamp', () => {
  it('is given to who names it first, and to nobody else', async () => {
    const types = [
      undefined,
      '*/*',
      'application/*',
      'application/zip, application/pdf',
      'application/pdf;q=0',
    ];
    for (const accept of types)
      expect([accept, (await get(accept)).headers['content-type']]).toEqual([accept, 'application/zip']);
    expect(await bought()).toEqual(afterBuying(0));
  });

  it('is not bought by a key that may only read, which reads it afterwards', async () => {
    const read = () => get('application/pdf', api, message, reader);
    const refused = await read();
    expect([refused.statusCode, refused.json().error?.code]).toEqual([403, 'insufficient_scope']);
    // Nor is who may buy refused along with one that may not.
    const [, sent] = await Promise.all([read(), get('application/pdf')]);
    expect(sent.statusCode).toBe(200);
    expect((await read()).rawPayload.equals(sent.rawPayload)).toBe(true);
    expect(await bought()).toEqual(afterBuying(1));
  });

  it('has the bundle attached, is stamped over every other byte, and is paid for once', async () => {
    const answer = await get('application/pdf');
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/pdf']);
    const pdf = answer.rawPayload;
    const bundle = bundleOfPdf('x.pdf', pdf);
    expect(readBundle(bundle)).toEqual(readBundle((await get()).rawPayload));
    expect((await verifyBundle(bundle, { sha256, now: new Date() })).valid).toBe(true);
    const [, from, end, rest] = /\/ByteRange \[0 (\d+) (\d+) (\d+)\]/
      .exec(pdf.toString('latin1'))!
      .map(Number);
    // The following bytes are added to judge the time-stamp in later years.
    const revision = pdf.subarray(0, end! + rest!);
    expect(revision.toString('latin1')).toMatch(/\n%%EOF\n?$/);
    expect(pdf.subarray(revision.length).toString('latin1')).toMatch(/\/Type \/DSS \/Certs \[/);
    const imprint = createHash('sha256')
      .update(revision.subarray(0, from))
      .update(revision.subarray(end))
      .digest('hex');
    const hex = pdf.subarray(from! + 1, end! - 1).toString();
    const folder = tempFolder();
    writeFileSync(join(folder, 'token.der'), Buffer.from(hex, 'hex'));
    const text = execFileSync('openssl', ['ts', '-reply', '-token_in', '-in', 'token.der', '-text'], {
      cwd: folder,
      stdio: 'pipe',
    }).toString();
    const shown = [...text.matchAll(/^ {4}[0-9a-f]{4} - ([0-9a-f -]{47})/gm)].map(([, line]) => line);
    expect(shown.join('').replace(/[ -]/g, '')).toBe(imprint);
    expect(await bought()).toEqual(afterBuying(1));
    expect((await get('application/pdf')).rawPayload.equals(pdf)).toBe(true);
    expect(await bought()).toEqual(afterBuying(1));
  });

  it('comes again from another process, hours later, with the same bytes and for nothing', async () => {
    const pdf = (await get('application/pdf')).rawPayload;
    later = 6 * DAY_MS;
    expect((await pdfOfAnother()).equals(pdf)).toBe(true);
    expect(await bought()).toEqual(afterBuying(1));
  });

  it('is stamped anew when its outcomes were counted a week ago', async () => {
    later = 7 * DAY_MS;
    await pdfOfAnother();
    expect(await bought()).toEqual(afterBuying(2));
    await pdfOfAnother();
    expect(await bought()).toEqual(afterBuying(2));
  });

  it('is stamped anew with a new outcome', async () => {
    await attempt(world.db, [message], 'sent', world.clock);
    await sealAll(world, tsa);
    const pdf = await pdfOfAnother();
    expect([...readBundle(bundleOfPdf('x.pdf', pdf)).keys()]).toContain('delivery/01-sent.json');
    expect(await bought()).toEqual(afterBuying(3));
  });

  it('is checked by fsck', async () => {
    expect((await fsck(world)).problems).toEqual([]);
    await world.db.execute("update pdf_certificates set serial_number = '1'");
    expect((await fsck(world)).problems).toMatchObject([
      { subject: `PDF of message ${message.messageId}`, detail: expect.stringContaining('serial_number') },
    ]);
  });

  it('is bought once by two processes that are first asked for it at once', async () => {
    const [fresh] = (await addMessages(world.db, world.log, tenantId, 1)) as [TestMessage];
    await sealAll(world, tsa);
    const { items } = (await bought()) as { items: number };
    tsa.behave(
      (answer, respondTo, request) => void setTimeout(() => honest(answer, respondTo, request), 400),
    );
    const other = await openEvidenceApi(world, authoritiesOf(world, sealer()));
    try {
      const [here, there] = await Promise.all([
        get('application/pdf', api, fresh),
        get('application/pdf', other, fresh),
      ]);
      expect([here.statusCode, there.rawPayload.equals(here.rawPayload)]).toEqual([200, true]);
      expect(await bought()).toEqual(afterBuying(items + 1));
    } finally {
      await other.close();
    }
  });

  it('is refused while no authority answers, and nothing is stored', async () => {
    const [other] = (await addMessages(world.db, world.log, tenantId, 1)) as [TestMessage];
    await sealAll(world, tsa);
    tsa.behave((answer) => answer.writeHead(500).end());
    const answer = await get('application/pdf', api, other);
    expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'unavailable']);
    expect(await world.db.query('select from pdf_certificates')).toHaveLength(2);
  });
});

async function pdfOfAnother(): Promise<Buffer> {
  const other = await openEvidenceApi(world, authoritiesOf(world, sealer()));
  try {
    const { statusCode, rawPayload } = await get('application/pdf', other);
    expect([statusCode, statusCode === 200 ? '' : rawPayload.toString()]).toEqual([200, '']);
    return rawPayload;
  } finally {
    await other.close();
  }
}

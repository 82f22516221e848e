import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBundle } from '@acuse/evidence/verify';
import { parseMessage } from '@acuse/mail/parse';
import { PATIENCE } from '@acuse/testkit/eventually';
import { postfixMissing } from '@acuse/testkit/postfix';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { newKey } from '../support/service.ts';
import { type CorpusFile, corpusFiles } from './corpus.ts';
import type { Installation } from './installation.ts';
import type { StoredMail } from './mail-store.ts';
import { type PostfixWorld, startPostfixWorld } from './postfix-world.ts';

/**
 * Every message of the corpora that we take, sent through Postfix with TLS into a mailbox, and held to what
 * was sealed.
 */

const files = corpusFiles('messages');
const missing = postfixMissing ?? (files === null ? 'skipped: needs the corpora' : null);
const title = `the corpora through Postfix${missing === null ? '' : ` (${missing})`}`;

interface Sent {
  readonly file: string;
  readonly id: string;
  /** The From domain. */
  readonly sender: string;
}

describe.skipIf(missing !== null)(title, () => {
  const folder = tempFolder();
  let fixture: PostfixWorld;
  let acuse: Installation;
  /** One for each recipient. */
  const sent: Sent[] = [];
  let taken = 0;
  const refused: { file: string; status: number; code: string; message: string }[] = [];
  let stored: Map<string, StoredMail>;

  beforeAll(async () => {
    fixture = await startPostfixWorld();
    acuse = fixture.acuse;
    await sendAll(files ?? []);
    for (const { id } of sent) await acuse.until(id, 'sent');
    stored = new Map((await fixture.store.untilStored(sent.length)).map((mail) => [mail.messageId, mail]));
  });
  afterAll(() => fixture?.stop());

  async function sendAll(all: readonly CorpusFile[]): Promise<void> {
    const domains = new Set<string>();
    for (const { name, raw } of all) {
      const from = senderOf(raw);
      if (from !== null && !domains.has(from.domain)) {
        domains.add(from.domain);
        await acuse.verifiedDomain(from.domain);
      }
      const headers = { 'idempotency-key': newKey() };
      const { status, body } = await acuse.call('POST', '/v1/messages', raw, headers);
      if (status === 201) {
        taken++;
        for (const { id } of [body, ...(body.copies ?? [])])
          sent.push({ file: name, id, sender: from!.domain });
      } else refused.push({ file: name, status, ...body.error });
    }
  }

  test('most are taken, and each other one is told what is wrong with it', () => {
    console.info(`${taken} of ${files!.length} corpus files are accepted, ${refused.length} refused`);
    expect(taken + refused.length).toBe(files!.length);
    expect(taken).toBeGreaterThanOrEqual(49);
    for (const { status, code, message } of refused) {
      expect([400, 422]).toContain(status);
      expect(['invalid_body', 'invalid_address']).toContain(code);
      expect(message.length).toBeGreaterThan(10);
    }
  });

  test('each arrives once, over TLS, with our return path', async () => {
    expect(fixture.store.mails()).toHaveLength(sent.length);
    for (const { id, file } of sent) {
      const mail = stored.get(id);
      expect(mail, file).toBeDefined();
      const header = mail!.bytes.toString('latin1', 0, mail!.bytes.indexOf('\n\n'));
      expect(header, file).toMatch(/\(using TLSv1\.3 with cipher /);
      expect(header, file).toMatch(/with (?:UTF8)?E?SMTPS/);
      expect(mail!.returnPath, file).toMatch(/^b\+[A-Za-z0-9._-]+@/);
    }
  });

  test('both DKIM signatures pass at mailauth', async () => {
    for (const { id, file, sender } of sent) {
      const { results } = await dkimVerify(crlf(stored.get(id)!.bytes), {
        resolver: async (name: string) => fixture.world.txt(name),
      });
      // The types leave out the algorithm that the results carry.
      const verdicts = (
        results as { algo?: string; signingDomain?: string; status?: { result?: string } }[]
      ).map((result) => `${result.signingDomain} ${result.algo} ${result.status?.result}`);
      expect(verdicts.sort(), file).toEqual([`${sender} ed25519-sha256 pass`, `${sender} rsa-sha256 pass`]);
    }
  });

  test('what Postfix stored is what was sealed: L0, L1, L2 and DKIM', async () => {
    for (const { id, file } of sent) {
      const bundle = await bundleOf(id);
      const { valid, checks, eml } = await verifyBundle(bundle, {
        sha256,
        now: new Date(),
        eml: stored.get(id)!.bytes,
      });
      const failed = [...checks, ...eml!.checks].filter((check) => !check.ok);
      expect(failed, file).toEqual([]);
      expect({ valid, ...eml, checks: [] }, file).toEqual({
        valid: true,
        verdict: 'same',
        L0: true,
        L1: true,
        L2: true,
        differences: [],
        checks: [],
      });
    }
  });

  test('the command line says so', async () => {
    const samples = [sent[0]!, sent.find(({ file }) => /utf8_headers/.test(file))!, sent.at(-1)!];
    for (const { id } of samples) {
      const [bundle, eml] = [join(folder, 'bundle.zip'), join(folder, 'stored.eml')];
      writeFileSync(bundle, await bundleOf(id));
      writeFileSync(eml, stored.get(id)!.bytes);
      // Development time-stamps: exit code 5.
      const said = await acuse.cli('verify', bundle, '--eml', eml).catch(({ code, stdout }) => {
        expect(code).toBe(5);
        return stdout;
      });
      for (const layer of ['L0', 'L1.header', 'L1.body', 'L2'])
        expect(said).toMatch(new RegExp(`^ {2}✓ eml\\.${layer.replace('.', '\\.')} `, 'm'));
      expect(said).toMatch(/^The bundle is valid\. This copy is what was sent\.$/m);
      if (id !== samples[0]!.id) continue;
      // One octet of the body is enough.
      const changed = Buffer.from(stored.get(id)!.bytes);
      changed[changed.length - 3]! ^= 1;
      writeFileSync(eml, changed);
      await expect(acuse.cli('verify', bundle, '--eml', eml)).rejects.toMatchObject({
        code: 4,
        stdout: expect.stringMatching(/^The bundle is valid\. This copy is not what was sent:$/m),
      });
    }
  });

  test("Postfix's own reports of success come back, and are kept as the word of the receiving side", async () => {
    for (const { id, file } of sent) {
      await vi.waitFor(async () => {
        const { body } = await acuse.call('GET', `/v1/messages/${id}/reports`);
        expect(body.data, file).toMatchObject([
          {
            effect: 'none',
            says: 'delivered',
            reported_by_mail: { mail_from: '', peer: { ip: '127.0.0.1' }, vouched_by: 'network' },
          },
        ]);
      }, PATIENCE);
      expect((await acuse.call('GET', `/v1/messages/${id}`)).body.status, file).toBe('sent');
    }
  });

  async function bundleOf(id: string): Promise<Uint8Array> {
    return vi.waitFor(async () => {
      const { status, bytes } = await acuse.call('GET', `/v1/messages/${id}/proof-bundle`);
      expect(status).toBe(200);
      return bytes;
    }, PATIENCE);
  }
});

function senderOf(raw: Uint8Array): { domain: string } | null {
  try {
    return parseMessage(raw).headerFrom;
  } catch {
    return null;
  }
}

/** Mailboxes have the line ends of the system. */
function crlf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1');
}

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { describe, expect, test } from 'vitest';
import { claimsOf } from '../../../src/evidence/bundle/report/add-report.ts';
import type { ReportFacts } from '../../../src/evidence/bundle/report/facts.ts';
import { writeReport } from '../../../src/evidence/bundle/report/write-report.ts';

const hash = (digit: string) => digit.repeat(64);
const facts: ReportFacts = {
  messageId: '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11',
  message: {
    from: 'Facturación Ñandú <facturas@example.com>',
    to: 'ana@example.org',
    subject: 'Factura № 7 — 漢字 📎',
    sha256: hash('a'),
  },
  parts: [
    { filename: null, mediaType: 'text/plain', size: 97, sha256: hash('b') },
    { filename: 'factura-7.pdf', mediaType: 'application/pdf', size: 12_345, sha256: hash('c') },
  ],
  acceptedAt: '2026-11-20T10:00:00.000Z',
  canonicalHash: hash('d'),
  log: 'acuse.example.com/log',
  logKey: 'acuse.example.com/log+01234567+AZ8yEBumUAcOUi4jXx5GIiyPEwdhQ2ybtufICOMclK3',
  leafIndex: 41,
  treeSize: 97,
  rootHash: hash('e'),
  constancia: {
    development: true,
    genTime: '2026-11-20T10:00:02.000Z',
    issuer: 'CN=PSC de prueba',
    policyOid: '1.2.3.4',
    serialNumber: '0a0b',
  },
  messageSealedAt: null,
  issued: [],
  renewedAt: '2030-11-20T10:00:02.000Z',
  coveredUntil: '2035-11-20T10:00:02.000Z',
  counted: { count: 2, withheld: 0, time: '2026-11-20T11:00:00.000Z' },
  deliveries: [
    {
      kind: 'sent',
      source: 'session',
      occurredAt: '2026-11-20T10:00:01.000Z',
      server: 'mx.example.org (192.0.2.7)',
      reply: '250 2.0.0 OK',
      tls: 'TLSv1.3',
      mail: null,
    },
    {
      kind: 'bounced',
      source: 'reported_by_mail',
      occurredAt: '2026-11-20T10:05:00.000Z',
      server: 'peer.stranger.example (203.0.113.9)',
      reply: null,
      tls: null,
      mail: {
        spf: 'fail (peer.stranger.example)',
        dkim: 'none',
        vouchedBy: null,
        claims: 'someone@example.org · mx.of.the.forgers.choosing · 550 5.1.1 no such user',
      },
    },
  ],
  verifyUrl: 'https://acuse.example.com/verify',
};

test('what a report by mail claims is said once, codes and addresses too', () => {
  const claims = {
    feedback_type: null,
    final_recipient: 'ana@example.org',
    original_recipient: 'ana@example.org',
    remote_mta: 'mx.example.org',
    reply: { code: 550, enhanced: '5.1.1', text: '550 5.1.1 no such user' },
  };
  expect(claimsOf(claims)).toBe('ana@example.org · mx.example.org · 550 5.1.1 no such user');
  const bare = {
    ...claims,
    original_recipient: 'a@example.org',
    reply: { ...claims.reply, text: 'no such user' },
  };
  expect(claimsOf(bare)).toBe('ana@example.org · a@example.org · mx.example.org · 550 5.1.1 no such user');
});

function has(command: string): boolean {
  try {
    execFileSync(command, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!has('pdftotext'))('the report, as poppler reads it (skipped: needs poppler-utils)', () => {
  const folder = tempFolder();

  async function written(given: ReportFacts): Promise<string> {
    const path = join(folder, 'report.pdf');
    writeFileSync(path, await writeReport(given));
    return path;
  }
  const textOf = (path: string) => execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' });

  test('its text can be copied: who, to whom, when, hashes, answers, constancia, in both languages', async () => {
    const text = textOf(await written(facts));
    for (const said of [
      'Reporte de evidencia',
      'Evidence report',
      'Facturación Ñandú <facturas@example.com>',
      'ana@example.org',
      facts.acceptedAt,
      facts.canonicalHash,
      facts.rootHash,
      hash('a'),
      hash('c'),
      'factura-7.pdf',
      '250 2.0.0 OK',
      'mx.example.org (192.0.2.7)',
      facts.constancia.genTime,
      facts.renewedAt!,
      facts.coveredUntil,
      'CN=PSC de prueba',
      facts.verifyUrl,
      'no es una constancia NOM-151',
      'not a NOM-151 constancia',
      'Lo que dice este archivo',
      'What this file says',
      'On 2026-11-20T11:00:00.000Z the operator signed: 2 outcomes. Both are here.',
      'Lo que prueban terceros',
      'What the operator asserts',
    ])
      expect(text).toContain(said);
  });

  test('what the font cannot draw is written out, not lost', async () => {
    expect(textOf(await written(facts))).toContain('[U+6F22][U+5B57] [U+1F4CE]');
  });

  test('every font is embedded, with a map back to text', async () => {
    const lines = execFileSync('pdffonts', [await written(facts)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .slice(2);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/\byes\s+yes\s+yes\b/);
  });

  test('what a mail said stands apart from what servers answered, in both languages', async () => {
    const text = textOf(await written(facts));
    for (const [answered, byMail] of [
      ['Lo que respondieron los servidores', 'Lo que se reportó por correo'],
      ['What the servers replied', 'What was reported by mail'],
    ] as const) {
      const [before, after] = text.slice(text.indexOf(answered)).split(byMail);
      expect(before).toContain('mx.example.org (192.0.2.7)');
      expect(before).not.toContain('mx.of.the.forgers.choosing');
      expect(after).toContain('peer.stranger.example (203.0.113.9)');
      expect(after).toContain('mx.of.the.forgers.choosing');
    }
    expect(text).toContain('none: anybody could have written it');
  });

  test('it gives no verdict, because it does not know its reader; what was not counted is said not to be', async () => {
    const text = textOf(await written({ ...facts, counted: null }));
    expect(text).not.toMatch(/\bVerified\b|\bVerificado\b|Congruente|Consistent/);
    expect(text.replace(/\s+/g, ' ')).toContain('it gives no verdict, which depends on whom you trust');
    expect(text).toContain('How many outcomes there were is not shown.');
  });

  test('third parties prove nothing by a development time-stamp, and the log by its key alone', async () => {
    const flat = async (given: ReportFacts) => textOf(await written(given)).replace(/\s+/g, ' ');
    const real = await flat({ ...facts, constancia: { ...facts.constancia, development: false } });
    const said = await flat(facts);
    for (const claim of ['the time-stamping authority signs it', 'así lo firma la autoridad']) {
      expect(real).toContain(claim);
      expect(said).not.toContain(claim);
    }
    expect(said).toContain('Nothing, because the time-stamp is from a development authority');
    expect(said).toContain('only if the key above is the one that the operator publishes');
    expect(said.replaceAll(' ', '')).toContain(facts.logKey);
  });

  test('an erased message says so and keeps its hashes', async () => {
    const text = textOf(await written({ ...facts, message: null, parts: [] }));
    expect(text).toContain('El operador borró el contenido');
    expect(text.replace(/\s+/g, ' ')).toContain('The proofs stay valid because the log and the seal cover');
    expect(text).toContain(facts.canonicalHash);
    expect(text).not.toContain('ana@example.org');
  });

  test('a hundred parts run over pages without losing one', async () => {
    const parts = Array.from({ length: 100 }, (_, at) => ({
      filename: `anexo-${at}.bin`,
      mediaType: 'application/octet-stream',
      size: at,
      sha256: hash('f'),
    }));
    const text = textOf(await written({ ...facts, parts }));
    for (const { filename } of parts) expect(text).toContain(filename);
  });
});

test('the same facts make the same bytes', async () => {
  const [one, two] = [await writeReport(facts), await writeReport(facts)];
  expect(Buffer.compare(one, two)).toBe(0);
});

test('and so they do after other reports, whose words and addresses are others', async () => {
  const before = await writeReport(facts);
  const verifyUrl = 'https://other.example/verify';
  const other = await writeReport({ ...facts, verifyUrl });
  // More words than are remembered.
  for (let round = 0; round < 3; round++) {
    const filename = Array.from({ length: 900 }, (_, n) => `w${round}x${n}`).join(' ');
    await writeReport({ ...facts, parts: [{ ...facts.parts[0]!, filename }] });
  }
  expect(Buffer.compare(await writeReport(facts), before)).toBe(0);
  expect(Buffer.compare(await writeReport({ ...facts, verifyUrl }), other)).toBe(0);
  expect(Buffer.compare(before, other)).not.toBe(0);
});

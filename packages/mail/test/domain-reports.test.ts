import { gzipSync } from 'node:zlib';
import { zipOf } from '@acuse/testkit/zip';
import { describe, expect, it } from 'vitest';
import { readDomainReports } from '../src/report/domain-reports.ts';
import { parseMime } from '../src/report/lenient-mime.ts';
import { parsePlainXml } from '../src/report/plain-xml.ts';
import { MAX_UNPACKED_BYTES, unpackReports } from '../src/report/unpack-report.ts';

const row = (ip: string, count: number, dkim = 'pass', spf = 'fail') => `<record>
    <row><source_ip>${ip}</source_ip><count>${count}</count>
      <policy_evaluated><disposition>none</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
    <identifiers><header_from>tienda.example</header_from></identifiers>
    <auth_results><dkim><domain>tienda.example</domain><selector>acuse-1-rsa</selector><result>${dkim}</result></dkim>
      <spf><domain>bounce.tienda.example</domain><result>${spf}</result></spf></auth_results>
  </record>`;

function dmarc(records = row('192.0.2.1', 12)): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<feedback>
  <report_metadata><org_name>Receiver</org_name><report_id>r&amp;1</report_id>
    <date_range><begin>1795651200</begin><end>1795737599</end></date_range></report_metadata>
  <policy_published><domain>Tienda.example</domain><p>none</p></policy_published>
  ${records}
</feedback>`;
}

const TLS = JSON.stringify({
  'organization-name': 'Receiver',
  'date-range': { 'start-datetime': '2026-11-25T00:00:00Z', 'end-datetime': '2026-11-25T23:59:59Z' },
  'report-id': 't1',
  policies: [
    {
      policy: { 'policy-type': 'sts', 'policy-domain': 'bounce.tienda.example' },
      summary: { 'total-successful-session-count': 40, 'total-failure-session-count': 2 },
      'failure-details': [
        {
          'result-type': 'certificate-expired',
          'receiving-mx-hostname': 'mx.tienda.example',
          'failed-session-count': 2,
        },
      ],
    },
  ],
});

const zip = (name: string, content: string, method?: 0 | 8) => zipOf([[name, content]], method);

function mailOf(type: string, content: Buffer | string): Buffer {
  const base64 = Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n');
  return Buffer.from(
    `From: noreply@receiver.example\r\nSubject: Report\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nA report.\r\n--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64}\r\n--b--\r\n`,
  );
}
const read = (type: string, content: Buffer | string) => readDomainReports(parseMime(mailOf(type, content)));

describe('a DMARC report', () => {
  const expected = {
    kind: 'dmarc',
    reportId: 'r&1',
    domain: 'tienda.example',
    begin: new Date(1_795_651_200_000),
    end: new Date(1_795_737_599_000),
    policy: 'none',
    rows: [
      {
        sourceIp: '192.0.2.1',
        messages: 12,
        disposition: 'none',
        dkimAligned: true,
        spfAligned: false,
        headerFrom: 'tienda.example',
        selectors: ['acuse-1-rsa'],
      },
    ],
  };
  it.each([
    ['as it is', 'text/xml', dmarc()],
    ['gzip', 'application/gzip', gzipSync(dmarc())],
    ['zip', 'application/zip', zip('receiver!tienda.example!1!2.xml', dmarc())],
    ['zip, stored', 'application/octet-stream', zip('r.xml', dmarc(), 0)],
    ['gzip in a zip', 'application/zip', zipOf([['r.xml.gz', gzipSync(dmarc())]])],
    [
      'zip of a Mac',
      'application/zip',
      zipOf([
        ['__MACOSX/._r.xml', '\0\x05\x16\x07'],
        ['r.xml', dmarc()],
      ]),
    ],
    ['as CDATA', 'text/xml', dmarc().replace('r&amp;1', '<![CDATA[r&1]]>')],
    ['with a namespace', 'text/xml', dmarc().replaceAll(/<(\/?)(feedback|record)>/g, '<$1d:$2>')],
  ])('is read %s', (_, type, content) => {
    expect(read(type, content)).toEqual([expected]);
  });

  it('is not the only one of its mail, nor of its archive', () => {
    const second = dmarc(row('192.0.2.2', 1)).replace('r&amp;1', 'r2');
    const third = dmarc(row('192.0.2.3', 1)).replace('r&amp;1', 'r3');
    const archive = zipOf([
      ['a.xml', dmarc()],
      ['leame.txt', 'x'],
      ['b.xml', second],
    ]).toString('base64');
    const part = (content: string) =>
      `--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n${content}\r\n`;
    const mail = `From: r@receiver.example\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n${part(archive)}${part(gzipSync(third).toString('base64'))}--b--\r\n`;
    const ids = readDomainReports(parseMime(Buffer.from(mail))).map((it) => it.reportId);
    expect(ids).toEqual(['r&1', 'r2', 'r3']);
  });

  it('keeps its sound rows', () => {
    const records = [
      row('192.0.2.1', 3),
      row('not an address', 4),
      row('2001:db8::1', 0),
      row('2001:db8::2', 5),
    ];
    const [report] = read('text/xml', dmarc(records.join('')));
    expect(report?.kind === 'dmarc' && report.rows.map((it) => it.sourceIp)).toEqual([
      '192.0.2.1',
      '2001:db8::2',
    ]);
  });

  it.each([
    ['a document type', dmarc().replace('<feedback>', '<!DOCTYPE f [<!ENTITY a "x">]><feedback>')],
    ['an element that is not closed', dmarc().replace('</report_metadata>', '')],
    ['no domain', dmarc().replace('Tienda.example', '')],
    ['a time that ends before it begins', dmarc().replace('1795737599', '1')],
    [
      'entities that multiply',
      dmarc()
        .replace('<feedback>', '<!DOCTYPE f [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;">]><feedback>')
        .replace('r&amp;1', '&b;'),
    ],
    ['CDATA that does not end', dmarc().replace('r&amp;1', '<![CDATA[r')],
    ['another root', dmarc().replaceAll('feedback', 'html')],
    ['nesting without end', '<feedback>'.repeat(10_000)],
    ['nothing', ''],
  ])('with %s is none', (_, xml) => {
    expect(read('text/xml', xml)).toEqual([]);
  });

  it('defines no entity, whatever it writes', () => {
    expect(parsePlainXml('<a>&lt;b&gt; &#x41; &xxe;</a>')?.text).toBe('<b> &#x41; &xxe;');
    expect(parsePlainXml('<a><![CDATA[<b> &lt; & ]]>c</a>')?.text).toBe('<b> &lt; & c');
  });
});

describe('a TLS report', () => {
  it.each([
    ['as it is', 'application/tlsrpt+json', TLS],
    ['gzip', 'application/tlsrpt+gzip', gzipSync(TLS)],
  ])('is read %s', (_, type, content) => {
    expect(read(type, content)).toEqual([
      {
        kind: 'tls',
        reportId: 't1',
        domain: 'bounce.tienda.example',
        begin: new Date('2026-11-25T00:00:00Z'),
        end: new Date('2026-11-25T23:59:59Z'),
        succeeded: 40,
        failed: 2,
        failures: [{ result: 'certificate-expired', host: 'mx.tienda.example', sessions: 2 }],
      },
    ]);
  });

  it.each(['[]', '{"policies": 3}', '{'.repeat(100_000), 'null', TLS.replace('"t1"', '7')])(
    'is none: %#',
    (json) => {
      expect(read('application/tlsrpt+json', json)).toEqual([]);
    },
  );
});

describe('what is packed', () => {
  it('is not unpacked beyond its bound, all files of an archive together', () => {
    const bomb = Buffer.alloc(MAX_UNPACKED_BYTES + 1, 0x20);
    const half = Buffer.alloc(MAX_UNPACKED_BYTES / 2, 0x20);
    expect(unpackReports(gzipSync(bomb))).toEqual([]);
    expect(unpackReports(zip('a.xml', bomb.toString('latin1')))).toEqual([]);
    expect(unpackReports(zipOf([['a.xml.gz', gzipSync(bomb)]]))).toEqual([]);
    expect(unpackReports(bomb)).toEqual([]);
    const files = Array.from({ length: 8 }, (_, at) => [`${at}.xml`, half] as const);
    const sizes = unpackReports(zipOf(files, 0)).map((it) => it.length);
    expect(sizes).toEqual([half.length, half.length]);
  });

  it('is read as whole or not at all', () => {
    const whole = zip('a.xml', dmarc());
    for (let length = 0; length < whole.length; length += 7) {
      const cut = whole.subarray(0, length);
      expect(unpackReports(Buffer.concat([Buffer.from('PK'), cut.subarray(2)]))).toEqual([]);
    }
    expect(unpackReports(zip('a.exe', dmarc()))).toEqual([]);
  });
});

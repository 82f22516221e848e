import { utf8 } from '@acuse/evidence/bytes';
import { messageLayers } from '@acuse/evidence/layers';
import { toCrlf } from '@acuse/evidence/relaxed';
import type { EmlReport } from '@acuse/evidence/verify-eml';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, test } from 'vitest';
import type { Layer } from '../shared/evidence/checked.ts';
import { compareCopy } from '../shared/evidence/compare.ts';

const HEAD = 'Service-Evidence: v=1\nFrom: a@example.com\nSubject: Contract\nContent-Type: ';
const MIXED = `${HEAD}multipart/mixed; boundary=b\n\n`;
const part = (type: string, content: string, filename?: string) =>
  `--b\nContent-Type: ${type}\n${filename === undefined ? '' : `Content-Disposition: attachment; filename=${filename}\n`}\n${content}\n`;
const eml = (...parts: string[]) => `${MIXED}${parts.join('')}--b--\n`;

/** As the verification would report: which layers hold. */
function compare(sealed: string, received: string): Layer[] {
  const [before, now] = [sealed, received].map((text) => toCrlf(utf8(text)));
  const [own, other] = [messageLayers(before!, sha256), messageLayers(now!, sha256)];
  const same = (layer: 'header' | 'body') => own[layer].every((byte, index) => byte === other[layer][index]);
  const report: EmlReport = {
    verdict: 'differs',
    differences: same('header') ? [] : [{ kind: 'field_changed', name: 'Subject' }],
    ...{ L0: false, L1: false, L2: false },
    checks: [
      { name: 'eml.readable', ok: true, detail: '' },
      { name: 'eml.L1.header', ok: same('header'), detail: '' },
      { name: 'eml.L1.body', ok: same('body'), detail: '' },
    ],
  };
  return compareCopy(new Map([['message.eml', before!]]), now!, report);
}
const states = (layers: readonly Layer[]) => layers.map(({ of, name, state }) => `${name ?? of} ${state}`);
const shown = ({ rows }: Layer) =>
  rows?.map((row) => `${row.kind} ${row.kind === 'gap' ? row.lines : row.text}`);
const textsOf = ({ rows }: Layer) => (rows ?? []).flatMap((row) => (row.kind === 'gap' ? [] : [row.text]));

describe('a received copy, layer by layer', () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);
  const text = numbered(12);

  test('a line that changed is shown with some around it on each side, and the rest is left out', () => {
    const changed = text.with(6, 'another line');
    const [, , layer] = compare(
      eml(part('text/plain', text.join('\n'))),
      eml(part('text/plain', changed.join('\n'))),
    );
    expect(shown(layer!)).toEqual([
      'gap 3',
      'same line 3',
      'same line 4',
      'same line 5',
      'removed line 6',
      'added another line',
      'same line 7',
      'same line 8',
      'same line 9',
      'gap 2',
    ]);
  });

  test('the same parts under another boundary are only written otherwise', () => {
    const sealed = eml(part('text/plain', 'Hello'), part('application/pdf', 'PDF', 'a.pdf'));
    const received = sealed.replaceAll('--b', '--c').replace('boundary=b', 'boundary=c');
    expect(states(compare(sealed, received)).slice(1)).toEqual([
      'body reencoded',
      'text/plain same',
      'a.pdf same',
    ]);
  });

  test('each part is told: another file, one that is gone, one that came on the way', () => {
    const sealed = eml(
      part('text/plain', 'Hello'),
      part('application/pdf', 'PDF 1', 'a.pdf'),
      part('application/pdf', 'PDF 2', 'b.pdf'),
    );
    const received = eml(
      part('application/pdf', 'PDF other', 'b.pdf'),
      part('text/plain', 'Hello'),
      part('text/html', '<p>Footer</p>'),
    );
    const layers = compare(sealed, received);
    expect(states(layers)).toEqual([
      'header same',
      'body changed',
      'text/plain same',
      'a.pdf missing',
      'b.pdf changed',
      'text/html added',
    ]);
    expect(layers.map(({ rows }) => rows)).toEqual([null, null, null, null, null, null]);
  });

  test('a part that is the same is never taken for the changed form of another', () => {
    const sealed = eml(part('text/plain', 'one'), part('text/plain', 'two'));
    const received = eml(part('text/plain', 'two'), part('text/plain', 'three'));
    expect(states(compare(sealed, received)).slice(2)).toEqual(['text/plain changed', 'text/plain same']);
  });

  test('fields of the header are shown as sent and as received', () => {
    const [header] = compare(
      `${HEAD}text/plain\n\nHi\n`,
      `${HEAD}text/plain\n\nHi\n`.replace('Contract', 'Re'),
    );
    expect(shown(header!)).toEqual(['removed Subject: Contract', 'added Subject: Re']);
  });

  test('hostile texts: bounded in lines and characters, and no direction marks', () => {
    const sealed = eml(part('text/plain', numbered(900).join('\n')));
    const received = eml(part('text/plain', `\u202eevil ${'x'.repeat(10_000)}`));
    const [, , layer] = compare(sealed, received);
    expect(layer!.cut).toBe(true);
    expect(layer!.rows).toHaveLength(200);
    const [, , other] = compare(received, sealed.replace(/\nline \d+/g, ''));
    expect(Math.max(...textsOf(other!).map((text) => text.length))).toBeLessThanOrEqual(400);
    expect(JSON.stringify(other!.rows)).not.toContain('\u202e');
  });

  test('texts that have nothing in common are cut, and those that are too long not compared', () => {
    const sealed = eml(part('text/plain', numbered(3_000).join('\n')));
    const [, , layer] = compare(sealed, sealed.replaceAll('line', 'row'));
    expect([layer!.state, layer!.rows!.length, layer!.cut]).toEqual(['changed', 200, true]);
    const long = eml(part('text/plain', 'x'.repeat(300 * 1024)));
    const [, , other] = compare(long, long.replace('xx', 'xy'));
    expect([other!.state, other!.rows]).toEqual(['changed', null]);
  });

  test('a bundle that does not show the message has no layers to tell', () => {
    const report: EmlReport = {
      verdict: 'parts',
      differences: [],
      ...{ L0: false, L1: false, L2: true },
      checks: [{ name: 'eml.readable', ok: true, detail: '' }],
    };
    expect(compareCopy(new Map(), utf8('Subject: a\r\n\r\nb'), report)).toEqual([]);
  });
});

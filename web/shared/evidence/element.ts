import type { Tone } from './groups.ts';

/** An element with a text, which is never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  text = '',
  className = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== '') made.className = className;
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';
const DIAMOND = 'M8 1.2 14.8 8 8 14.8 1.2 8z';

const SIGNS: Readonly<Record<Tone, string>> = {
  ok: 'm5.3 8.2 1.9 1.9 3.5-4',
  unsure: 'M8 4.8v3.6m0 2.3v.1',
  bad: 'm6 6 4 4m0-4-4 4',
};

/** The mark of evidence, as web/shared/ui/seal.tsx draws it: with a check, a cross or an exclamation. */
export function sealMark(tone: Tone): SVGSVGElement {
  const mark = document.createElementNS(SVG, 'svg');
  for (const [name, value] of [
    ['viewBox', '0 0 16 16'],
    ['class', `seal ${tone}`],
    ['aria-hidden', 'true'],
  ] as const)
    mark.setAttribute(name, value);
  for (const [path, name] of [
    [DIAMOND, 'diamond'],
    [SIGNS[tone], 'sign'],
  ] as const) {
    const drawn = document.createElementNS(SVG, 'path');
    drawn.setAttribute('d', path);
    drawn.setAttribute('class', name);
    mark.append(drawn);
  }
  return mark;
}

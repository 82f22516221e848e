import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font, type GlyphRun } from 'fontkit';
import { woffToSfnt } from './woff.ts';

/**
 * The report's fonts: Roboto (Apache-2.0), embedded as subsets so that the text can be copied anywhere. Read
 * and taken apart once: that costs several times what the rest of a report does.
 */
export interface ReportFonts {
  readonly regular: Font;
  readonly bold: Font;
  /**
   * The text with every character that the font cannot draw written out as its code point, so that none is
   * lost.
   */
  writable(text: string): string;
}

/**
 * Words whose glyphs are known: those of a report in both languages are some 500. All are forgotten when
 * there are as many, for what messages say differs.
 */
const LAYOUTS_MAX = 2_000;
/** A longer word is hardly ever seen again (UTF-16 units). */
const LAYOUT_MAX_LENGTH = 24;

let known: ReportFonts | undefined;

export function reportFonts(): ReportFonts {
  known ??= load();
  return known;
}

function load(): ReportFonts {
  const require = createRequire(import.meta.url);
  const read = (weight: string) =>
    rememberOutlines(
      rememberLayouts(
        create(
          woffToSfnt(readFileSync(require.resolve(`roboto-fontface/fonts/roboto/Roboto-${weight}.woff`))),
        ) as Font,
      ),
    );
  const regular = read('Regular');
  return {
    regular,
    bold: read('Bold'),
    writable(text) {
      let out = '';
      for (const char of text) {
        const point = char.codePointAt(0)!;
        out += regular.hasGlyphForCodePoint(point)
          ? char
          : `[U+${point.toString(16).toUpperCase().padStart(4, '0')}]`;
      }
      return out;
    },
  };
}

/** Shaping words was a third of what a report costs, and most of them are in every report. */
function rememberLayouts(font: Font): Font {
  const layouts = new Map<string, GlyphRun>();
  const lay = font.layout.bind(font);
  font.layout = (text, ...how) => {
    const isPlain = how.every((each) => each === undefined);
    if (!isPlain) return lay(text, ...how);
    if (text.length <= LAYOUT_MAX_LENGTH) return copyOf([shaped(text)]);
    return isHex(text) ? copyOf(pairsOf(text).map(shaped)) : lay(text);
  };

  function shaped(text: string): GlyphRun {
    let run = layouts.get(text);
    if (run === undefined) {
      run = lay(text);
      if (layouts.size >= LAYOUTS_MAX) layouts.clear();
      layouts.set(text, run);
    }
    return run;
  }

  return font;
}

/** True for a hash, an id or a time: no two reports have the same, and their digits stand side by side. */
function isHex(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isDigit = (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66);
    if (!isDigit && code !== 0x2d && code !== 0x20) return false;
  }
  return true;
}

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / 2) }, (_, at) => text.slice(2 * at, 2 * at + 2));
}

/** One after the other as one. PDFKit scales the positions where they are. */
function copyOf(runs: readonly GlyphRun[]): GlyphRun {
  const [first] = runs;
  const copy = Object.assign(Object.create(Object.getPrototypeOf(first)) as GlyphRun, first);
  copy.glyphs = runs.flatMap(({ glyphs }) => glyphs);
  copy.positions = runs.flatMap(({ positions }) => positions.map((position) => ({ ...position })));
  return copy;
}

/** A glyph as fontkit keeps it: what its subsets ask of it, of each glyph of each report again. */
interface Outlined {
  _decode(): unknown;
}

/** Taking outlines apart was half of what the subsets of a report's fonts cost; nobody changes one. */
function rememberOutlines(font: Font): Font {
  const seen = new WeakSet<object>();
  const get = font.getGlyph.bind(font);
  font.getGlyph = (...which) => {
    const glyph = get(...which);
    if (glyph !== null && !seen.has(glyph)) {
      seen.add(glyph);
      const outlined = glyph as unknown as Outlined;
      const decode = outlined._decode.bind(glyph);
      let outline: { readonly value: unknown } | undefined;
      outlined._decode = () => {
        outline ??= { value: decode() };
        return outline.value;
      };
    }
    return glyph;
  };
  return font;
}

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
    rememberLayouts(
      create(
        woffToSfnt(readFileSync(require.resolve(`roboto-fontface/fonts/roboto/Roboto-${weight}.woff`))),
      ) as Font,
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
    if (!isPlain || text.length > LAYOUT_MAX_LENGTH) return lay(text, ...how);
    let run = layouts.get(text);
    if (run === undefined) {
      run = lay(text);
      if (layouts.size >= LAYOUTS_MAX) layouts.clear();
      layouts.set(text, run);
    }
    return copyOf(run);
  };
  return font;
}

/** PDFKit scales the positions where they are. */
function copyOf(run: GlyphRun): GlyphRun {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(run)) as GlyphRun, run);
  copy.positions = run.positions.map((position) => ({ ...position }));
  return copy;
}

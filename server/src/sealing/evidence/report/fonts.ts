import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
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

let known: ReportFonts | undefined;

export function reportFonts(): ReportFonts {
  known ??= load();
  return known;
}

function load(): ReportFonts {
  const require = createRequire(import.meta.url);
  const read = (weight: string) =>
    create(
      woffToSfnt(readFileSync(require.resolve(`roboto-fontface/fonts/roboto/Roboto-${weight}.woff`))),
    ) as Font;
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

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { create, type Font, type GlyphRun } from 'fontkit';

/**
 * Roboto (Apache-2.0), embedded as subsets so that text can be copied. Parsed once: parsing costs several
 * reports.
 */
export interface ReportFonts {
  readonly regular: Font;
  readonly bold: Font;
  /** Characters without a glyph are written as code points. */
  writable(text: string): string;
}

/** Cached words; the two languages have some 500. Cleared when full. */
const LAYOUTS_MAX = 2_000;
/** Longer words rarely repeat (UTF-16 units). */
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

/** Shaping was a third of a report's cost, and most words repeat. */
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

/** Hashes, ids and times are unique, and their digits need no kerning. */
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

/** PDFKit scales positions in place, so that runs are copied. */
function copyOf(runs: readonly GlyphRun[]): GlyphRun {
  const [first] = runs;
  const copy = Object.assign(Object.create(Object.getPrototypeOf(first)) as GlyphRun, first);
  copy.glyphs = runs.flatMap(({ glyphs }) => glyphs);
  copy.positions = runs.flatMap(({ positions }) => positions.map((position) => ({ ...position })));
  return copy;
}

/** A glyph as fontkit caches it. */
interface Outlined {
  _decode(): unknown;
}

/** Parsing outlines was half of the subsets' cost; nobody changes one. */
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

/** W3C WOFF 1.0, §3 and §4. */
const WOFF_SIGNATURE = 0x774f4646;
const WOFF_HEADER_BYTES = 44;
const WOFF_ENTRY_BYTES = 20;
const SFNT_HEADER_BYTES = 12;
const SFNT_ENTRY_BYTES = 16;

/** Unpacks a WOFF: fontkit inflates it in JavaScript, a second per document. */
function woffToSfnt(woff: Buffer): Buffer {
  if (woff.readUInt32BE(0) !== WOFF_SIGNATURE) throw new Error('not a WOFF font');
  const tables = Array.from({ length: woff.readUInt16BE(12) }, (_, at) =>
    readTable(woff, WOFF_HEADER_BYTES + at * WOFF_ENTRY_BYTES),
  );
  const header = Buffer.alloc(SFNT_HEADER_BYTES + tables.length * SFNT_ENTRY_BYTES);
  const power = 2 ** Math.floor(Math.log2(tables.length));
  woff.copy(header, 0, 4, 8);
  header.writeUInt16BE(tables.length, 4);
  header.writeUInt16BE(power * 16, 6);
  header.writeUInt16BE(Math.log2(power), 8);
  header.writeUInt16BE((tables.length - power) * 16, 10);
  let offset = header.length;
  const bodies = tables.map(({ tag, checksum, content }, at) => {
    const entry = SFNT_HEADER_BYTES + at * SFNT_ENTRY_BYTES;
    tag.copy(header, entry);
    header.writeUInt32BE(checksum, entry + 4);
    header.writeUInt32BE(offset, entry + 8);
    header.writeUInt32BE(content.length, entry + 12);
    const padded = Buffer.alloc(Math.ceil(content.length / 4) * 4);
    content.copy(padded);
    offset += padded.length;
    return padded;
  });
  return Buffer.concat([header, ...bodies]);
}

function readTable(woff: Buffer, at: number): { tag: Buffer; checksum: number; content: Buffer } {
  const offset = woff.readUInt32BE(at + 4);
  const stored = woff.subarray(offset, offset + woff.readUInt32BE(at + 8));
  const size = woff.readUInt32BE(at + 12);
  const content = stored.length < size ? inflateSync(stored, { maxOutputLength: size }) : stored;
  if (content.length !== size) throw new Error('a table of the WOFF font is damaged');
  return { tag: woff.subarray(at, at + 4), checksum: woff.readUInt32BE(at + 16), content };
}

import { readBundle, requireEntry, writeBundle } from '@acuse/evidence/bundle';
import { MAX_BUNDLE_BYTES } from '@acuse/evidence/bundle-entries';
import { disclose } from '@acuse/evidence/disclose';
import { EvidenceError } from '@acuse/evidence/errors';
import { type PartOpening, parseOpenings } from '@acuse/evidence/openings';
import { sha256 } from '../platform/sha256.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { readInput, writeOutput } from './files.ts';
import { type Lines, table } from './output.ts';

const discloseCommand = defineCommand({
  name: 'disclose',
  summary: 'Creates a bundle that proves selected parts of a message and shows nothing else',
  details:
    'Parts are numbered from 0 in document order: usually 0 is the text and 1 the first attachment. Without --part, it lists them. The new bundle has no address, subject, other part or outcome; times, identifiers and the number of parts stay visible. It verifies like any other.',
  args: [{ name: 'bundle', doc: 'proof bundle, ZIP or JSON, that opens those parts' }],
  options: {
    part: {
      type: 'string',
      value: '<number>',
      doc: 'part to show; repeatable',
      multiple: true,
    },
    output: {
      type: 'string',
      short: 'o',
      value: '<file>',
      doc: 'file to write (default: next to the first bundle); an existing file is not overwritten',
    },
  },
  examples: ['acuse disclose proof.zip', 'acuse disclose proof.zip --part 1 -o attachment.zip'],
  async run({ options, args, out }) {
    const [path] = args as [string];
    try {
      const bundle = readBundle(readInput(path, MAX_BUNDLE_BYTES));
      const { mail } = parseOpenings(requireEntry(bundle, 'openings.json', 'openings'));
      if (options.part.length === 0) {
        out.answer({ parts: mail.parts.map(presentPart) }, () => listParts(mail.parts));
        return EXIT.ok;
      }
      const indexes = options.part.map(readIndex);
      const shown = await disclose(bundle, indexes, { sha256, now: new Date() });
      const file = options.output ?? defaultName(path, indexes);
      writeOutput(file, writeBundle(shown));
      const parts = mail.parts.filter(({ index }) => indexes.includes(index)).map(presentPart);
      out.answer(
        { file, parts },
        () => `wrote ${file}: it shows part ${indexes.join(', ')} and nothing else`,
      );
      return EXIT.ok;
    } catch (cause) {
      if (!(cause instanceof EvidenceError)) throw cause;
      throw new CommandError(EXIT.failed, 'not_disclosed', `${path}: ${cause.detail}`, { cause });
    }
  },
});

export const discloseCommands: readonly Command[] = [discloseCommand];

function readIndex(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw usage(`--part takes the number of a part, not "${text}"`);
  return Number(text);
}

function defaultName(path: string, indexes: readonly number[]): string {
  return `${path.replace(/\.(zip|json)$/i, '')}-part-${indexes.join('-')}.zip`;
}

function presentPart({ index, filename, media_type, size, sha256: hash }: PartOpening) {
  return { part: index, filename, media_type, size, sha256: hash };
}

function listParts(parts: readonly PartOpening[]): Lines {
  const rows = parts.map((part) => [
    String(part.index),
    part.media_type,
    String(part.size),
    // Strangers chose the name: no control characters.
    (part.filename ?? '-').replace(/\p{C}/gu, '?'),
  ]);
  return table(['PART', 'TYPE', 'BYTES', 'FILE NAME'], rows, 'this bundle opens no parts');
}

import { NOTES, type Note } from '../delivery/next-hop/traits.ts';
import { forgetNote, NOTE_DAYS_MAX, noteDestination, readNotes } from '../delivery/operate/notes.ts';
import { presentNote } from '../delivery/operate/present.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { table } from './output.ts';
import { NOTE_HEADS, noteLine } from './queue-text.ts';
import { withServices } from './services.ts';
import { BY_OPTION, oneLine, REASON_MAX_CHARS, wholeNumber, whoRuns } from './shared-options.ts';

const SHOWN_MAX = 1_000;
const DESTINATION = { type: 'string', value: '<domain>', doc: 'domain of the recipients' } as const;
const NOTE = { type: 'string', value: '<note>', doc: `one of ${NOTES.join(', ')}`, required: true } as const;

const notes = defineCommand({
  name: 'queue notes',
  summary: 'Lists notes on how mail is delivered to destinations, learned or set by an operator',
  options: { destination: DESTINATION },
  examples: ['acuse queue notes', 'acuse queue notes --destination example.com --json'],
  async run({ options, out, env }) {
    const found = await withServices(env, 'queue notes', (services) =>
      readNotes(services, options.destination ?? null, SHOWN_MAX),
    );
    const data = found.map(presentNote);
    out.answer({ data }, () => [
      table(
        ['DESTINATION', ...NOTE_HEADS],
        data.map((note) => [note.destination, ...noteLine(note)]),
        'nothing noted',
      ),
    ]);
  },
});

const note = defineCommand({
  name: 'queue note',
  summary: 'Sets how mail is delivered to a destination, in place of what was learned or is usual',
  details:
    'no_pipelining, no_tls and no_ipv6 take 1 for yes and 0 for no. no_tls is obeyed only where nothing demands TLS (MTA-STS, DANE). conversations, messages_per_connection and messages_per_minute are limits of each delivery process and source pool. Every delivery process obeys within seconds.',
  options: {
    destination: { ...DESTINATION, required: true },
    note: NOTE,
    value: { type: 'string', value: '<n>', doc: 'its value', required: true },
    reason: { type: 'string', value: '<text>', doc: 'reason, for the record', required: true },
    days: { type: 'string', value: '<n>', doc: 'days until it ends (default: when it is taken back)' },
    ...BY_OPTION,
  },
  examples: [
    'acuse queue note --destination example.com --note conversations --value 2 --reason "asked for by their postmaster" --days 90',
    'acuse queue note --destination example.com --note no_pipelining --value 0 --reason "they replaced the firewall"',
  ],
  async run({ options, out, env }) {
    const value = wholeNumber('value', options.value);
    const days = options.days === undefined ? null : wholeNumber('days', options.days);
    if (days !== null && (days < 1 || days > NOTE_DAYS_MAX))
      throw usage(`--days takes 1 to ${NOTE_DAYS_MAX}`);
    const given = {
      destination: options.destination,
      note: readNote(options.note),
      value,
      reason: oneLine('reason', options.reason, REASON_MAX_CHARS),
      by: whoRuns(options.by),
      days,
    };
    const written = await withServices(env, 'queue note', (services) => noteDestination(services, given));
    const answer = presentNote(written);
    out.answer(answer, () => `noted ${answer.note} ${answer.value} of ${answer.destination}`);
  },
});

const forget = defineCommand({
  name: 'queue forget',
  summary: 'Takes back a note on a destination, learned or written; it may be learned again',
  options: { destination: { ...DESTINATION, required: true }, note: NOTE },
  examples: ['acuse queue forget --destination example.com --note no_tls'],
  async run({ options, out, env }) {
    const which = readNote(options.note);
    const { destination } = options;
    const gone = await withServices(env, 'queue forget', (services) =>
      forgetNote(services, destination, which),
    );
    if (!gone)
      throw new CommandError(EXIT.failed, 'not_found', `there is no note ${which} on ${destination}`);
    out.answer({ destination, note: which, forgotten: true }, () => `forgot ${which} of ${destination}`);
  },
});

export const noteCommands: readonly Command[] = [notes, note, forget];

function readNote(given: string): Note {
  const found = NOTES.find((each) => each === given);
  if (found === undefined) throw usage(`--note takes ${NOTES.join(', ')}, not "${given}"`);
  return found;
}

import { attack, shortcomings } from '../operate/attack/attack.ts';
import { LIMITS_DEFAULT, LIMITS_MAX } from '../operate/attack/budget.ts';
import { DOORS, type Door } from '../operate/attack/doors.ts';
import type { Mail } from '../operate/attack/known-client.ts';
import { reportNotes, reportRows } from '../operate/attack/report.ts';
import { type Listener, readListener, readTarget, type Target } from '../operate/attack/target.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { table } from './output.ts';
import { untilStopped } from './stop-signal.ts';

const MIB = 1024 * 1024;

const command = defineCommand({
  name: 'attack',
  summary: 'Attacks an installation of your own, and says what a known client sees meanwhile',
  details: `Silent connections, sign-ins, invitations, slow bodies, pipelined requests and mail of dots, one after the other, against this machine; against another host only with --staging. It stops by itself. Exit code 0: every request of the known client was answered, with a p99 below a second, and health in 100 ms; 1: not so.`,
  args: [{ name: 'url', doc: 'where the API is, such as http://127.0.0.1:8025' }],
  options: {
    key: { type: 'string', value: '<key>', doc: 'an API key there, of the known client', required: true },
    staging: {
      type: 'string',
      value: '<host>',
      doc: 'the host of the URL, when it is not this machine: whoever runs it must agree',
    },
    door: {
      type: 'string',
      value: '<door>',
      doc: `one of ${DOORS.join(', ')}; repeatable (default: all)`,
      multiple: true,
    },
    source: {
      type: 'string',
      value: '<address>',
      doc: 'an address of this machine that attackers come from; repeatable (default on loopback: fifty IPv4 networks)',
      multiple: true,
    },
    from: { type: 'string', value: '<address>', doc: 'a sender of the known client, which then sends' },
    to: { type: 'string', value: '<address>', doc: 'whom it sends to; without both it reads its account' },
    submission: { type: 'string', value: '<host:port>', doc: 'where it takes mail by SMTP with a key' },
    'return-path': { type: 'string', value: '<host:port>', doc: 'where it takes reports' },
    link: {
      type: 'string',
      value: '<url>',
      doc: 'a link that signs an owner in (acuse users link), for the invitations',
    },
    seconds: {
      type: 'string',
      value: '<number>',
      doc: `for each door (default: ${LIMITS_DEFAULT.seconds}; at most ${LIMITS_MAX.seconds})`,
    },
    sockets: {
      type: 'string',
      value: '<number>',
      doc: `at once (default: ${LIMITS_DEFAULT.sockets}; at most ${LIMITS_MAX.sockets})`,
    },
    mib: {
      type: 'string',
      value: '<number>',
      doc: `to send in all (default: ${LIMITS_DEFAULT.bytes / MIB}; at most ${LIMITS_MAX.bytes / MIB})`,
    },
  },
  examples: ['acuse attack http://127.0.0.1:8025 --key acuse_0… --door sign-in --seconds 1 --sockets 20'],
  async run({ options, args, out }) {
    const target = unlessRefused(readTarget(args[0]!, options.staging, options.source));
    const means = {
      target,
      key: options.key,
      submission: listener(options.submission, target),
      returnPath: listener(options['return-path'], target),
      link: options.link === undefined ? null : secretOf(options.link),
      mail: readMail(options.from, options.to),
    };
    const limits = {
      seconds: limit('--seconds', options.seconds, LIMITS_DEFAULT.seconds, LIMITS_MAX.seconds),
      sockets: limit('--sockets', options.sockets, LIMITS_DEFAULT.sockets, LIMITS_MAX.sockets),
      bytes: limit('--mib', options.mib, LIMITS_DEFAULT.bytes / MIB, LIMITS_MAX.bytes / MIB) * MIB,
    };
    const doors = readDoors(options.door);
    const rows = await untilStopped((stop) => attack(means, doors, limits, stop));
    if (rows === null)
      throw new CommandError(
        EXIT.unavailable,
        'unavailable',
        `${target.url.origin} does not answer, or does not know the key`,
      );
    const failed = rows.flatMap(shortcomings);
    const answer = { limits, held: failed.length === 0, rows };
    out.answer(answer, () => {
      const { head, lines } = reportRows(rows);
      return [table([...head], lines, 'nothing'), '', ...reportNotes(rows)];
    });
    return failed.length === 0 ? EXIT.ok : EXIT.failed;
  },
});

export const attackCommands: readonly Command[] = [command];

function unlessRefused<T extends object>(read: T | string): T {
  if (typeof read === 'string') throw usage(read);
  return read;
}

/** The secret in the output of `acuse users link`, in a link, or given by itself. */
function secretOf(link: string): string {
  return /#([\w-]+)/.exec(link)?.[1] ?? link;
}

function readMail(from: string | undefined, to: string | undefined): Mail | null {
  if (from === undefined && to === undefined) return null;
  if (from !== undefined && to !== undefined) return { from, to };
  throw usage('--from and --to go together');
}

function listener(text: string | undefined, target: Target): Listener | null {
  return text === undefined ? null : unlessRefused(readListener(text, target));
}

function limit(name: string, text: string | undefined, normal: number, max: number): number {
  const value = text === undefined ? normal : Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw usage(`${name} takes a whole number from 1 to ${max}`);
}

function readDoors(given: readonly string[]): readonly Door[] {
  const unknown = given.find((door) => !DOORS.some((known) => known === door));
  if (unknown !== undefined) throw usage(`--door takes ${DOORS.join(', ')}, not "${unknown}"`);
  return given.length === 0 ? DOORS : DOORS.filter((door) => given.includes(door));
}

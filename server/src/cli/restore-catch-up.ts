import { compareWithAnchor, type HeldLog } from '../evidence/log/anchor/compare.ts';
import { continuesAnchor, describeStanding } from '../evidence/log/anchor/publish.ts';
import { listLogs } from '../evidence/log/log-store.ts';
import { type CaughtUp, catchUp } from '../evidence/log/mirror/catch-up.ts';
import { MirrorWrong } from '../evidence/log/mirror/read-mirror.ts';
import { markRestored } from '../operate/restore/set-back.ts';
import { type Command, defineCommand, EXIT, type ExitCode } from './command.ts';
import { reaching, requireMirror } from './log-mirror.ts';
import { type CommandServices, withServices } from './services.ts';

interface Tried {
  readonly origin: string;
  readonly state: 'caught_up' | 'up_to_date' | 'contradicts' | 'lacks';
  readonly done: CaughtUp | null;
  readonly text: string;
}

const TRIES = 5;

const command = defineCommand({
  name: 'restore catch-up',
  summary: 'Brings the log of a restored database up to what was published, from the mirror',
  details:
    'For a database that cannot be restored to a later point. Reads the leaves that it lacks from ACUSE_LOG_MIRROR, checks them against the checkpoint of ACUSE_LOG_ANCHOR, and adds them with their checkpoints: the log goes on with its name and key, and has one history. Messages of these leaves stay lost; those that wait to be sealed here get the place that they had. Each checkpoint that is added gets a constancia again. Changes nothing when the mirror lacks a leaf or says something else. Afterwards the database needs acuse restore release. It is safe to run twice, or again after it was killed. Exit code 0: the log is what was published; 1: the mirror or the database contradicts what was published; 4: the mirror lacks leaves.',
  options: {},
  examples: ['ACUSE_LOG_ANCHOR=/mnt/anchor ACUSE_LOG_MIRROR=/mnt/mirror acuse restore catch-up'],
  async run({ out, env }) {
    return withServices(env, 'restore catch-up', async (services) => {
      const tried = await reaching(async () => {
        const all: Tried[] = [];
        for (const log of await listLogs(services.db)) all.push(await tryLog(services, log));
        return all;
      });
      const logs = tried.map(({ origin, state, done }) => ({ origin, state, ...done }));
      out.answer({ logs }, () => [
        ...tried.map(
          ({ state, text }) => `${state === 'lacks' || state === 'contradicts' ? '✗' : '✓'} ${text}`,
        ),
        ...(tried.some(({ done }) => done !== null) ? [NEXT] : []),
      ]);
      return codeOf(tried);
    });
  },
});

const NEXT = 'Now look at acuse restore check, then run acuse restore release before the service starts.';

async function tryLog(services: CommandServices, log: HeldLog): Promise<Tried> {
  const { anchor, mirror } = requireMirror(services);
  const { origin } = log;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const { standing, anchored } = await compareWithAnchor(services.db, anchor, log);
    const text = describeStanding(origin, anchor.place, standing);
    if (continuesAnchor(standing)) return { origin, state: 'up_to_date', done: null, text };
    if (standing.kind !== 'behind' || anchored === null)
      return { origin, state: 'contradicts', done: null, text };
    // First: a log that caught up hides the restore, and the queue does not.
    await markRestored(services, text);
    // After a crash here the log is unchanged, and a release is due.
    try {
      const done = await catchUp(services, mirror, log, anchored);
      if (done !== null) return { origin, state: 'caught_up', done, text: describe(origin, done) };
    } catch (error) {
      if (!(error instanceof MirrorWrong)) throw error;
      return { origin, state: error.kind, done: null, text: `${error.message}; nothing was changed` };
    }
  }
  throw new Error(`log ${origin} was changed by others ${TRIES} times: stop every process of the service`);
}

const describe = (origin: string, { from, to, lost, placed }: CaughtUp) =>
  `log ${origin}: brought from ${from} leaves to the ${to} that were published; ${placed} of them are of messages here, ${lost} are known by their hash alone`;

function codeOf(tried: readonly Tried[]): ExitCode {
  if (tried.some(({ state }) => state === 'contradicts')) return EXIT.failed;
  return tried.some(({ state }) => state === 'lacks') ? EXIT.differs : EXIT.ok;
}

export const catchUpCommands: readonly Command[] = [command];

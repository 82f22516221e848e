// The tables of `bench -- roles`, and the model of docs/capacity.md with these figures in it.
import { cpus } from 'node:os';
import { digits, median, printTable } from './table.mjs';

/** More of the machine than this used by others: a rate of that round is none. */
const FOREIGN_SHARE = 0.1;
/** Share of a core that is used, so that p99 stays low (docs/capacity.md, assumption 2). */
const USED_SHARE = 0.6;
const MODEL_PER_SECOND = 10_000;

export function printRoles(results, { rounds, seconds }) {
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}`;
  console.log(`\n${machine}; ${rounds} rounds of ${seconds} s of sending each, medians\n`);
  printTable(
    results.map((result) => layoutRow(result, results)),
    2,
  );
  const left = results.some(({ list }) => !list.every(isRate));
  if (left)
    console.log(
      `\nNo rate where the service, PostgreSQL and the load had not enough cores, or where others used more than ${100 * FOREIGN_SHARE} % of the machine: compare those lines by their ratios and processor times.`,
    );
  console.log('\nOf a message in each role, µs:\n');
  printTable(results.flatMap(roleRows), 3);
  const apart = results.findLast(({ layout }) => layout === 'apart');
  if (apart !== undefined) printModel(apart);
}

const isRate = ({ isRate: hasCores, foreign }) => hasCores && foreign <= FOREIGN_SHARE;
const middle = (list, of) => median(list.map(of));
const serviceMicros = ({ processes }) => processes.reduce((total, { micros }) => total + micros, 0);

function layoutRow({ cores, layout, list }, results) {
  const one = results.find((each) => each.cores === cores && each.layout === 'one').list;
  const ratios = list.map(({ perSecond }, round) => perSecond / one[round].perSecond);
  return {
    layout,
    processes: namesOf(list[0]),
    cores: digits(cores),
    'messages/s': list.every(isRate) ? digits(middle(list, ({ perSecond }) => perSecond)) : '',
    'of one': digits(median(ratios), 2),
    'cores used': digits(
      middle(list, ({ coresUsed }) => coresUsed),
      2,
    ),
    'p99 ms': list.every(isRate) ? digits(middle(list, ({ p99 }) => p99)) : '',
    'CPU µs a message': digits(middle(list, (round) => serviceMicros(round) + round.postgres)),
    service: digits(middle(list, serviceMicros)),
    postgres: digits(middle(list, ({ postgres }) => postgres)),
  };
}

/** `2 api, delivery`. */
function namesOf({ processes }) {
  const counts = new Map();
  for (const { roles } of processes) counts.set(roles, (counts.get(roles) ?? 0) + 1);
  return [...counts].map(([roles, count]) => (count === 1 ? roles : `${count} ${roles}`)).join(' + ');
}

function roleRows({ cores, layout, list }) {
  return rolesOf(list).map(({ roles, micros, main, processes }) => ({
    layout,
    role: roles,
    cores: digits(cores),
    processes: digits(processes),
    µs: digits(micros),
    'of which main thread': digits(main),
  }));
}

/** Processes of the same roles together: a message is worked on by one of them. */
function rolesOf(list) {
  const names = [...new Set(list[0].processes.map(({ roles }) => roles))];
  return names.map((roles) => {
    const of = (key) =>
      middle(list, ({ processes }) =>
        processes.reduce((total, each) => total + (each.roles === roles ? each[key] : 0), 0),
      );
    const processes = list[0].processes.filter((each) => each.roles === roles).length;
    return { roles, micros: of('micros'), main: of('main'), processes };
  });
}

function printModel({ list }) {
  const postgres = middle(list, (round) => round.postgres);
  const roles = rolesOf(list);
  const cores = (micros) => (micros * MODEL_PER_SECOND) / 1e6;
  const all = roles.reduce((total, { micros }) => total + micros, postgres);
  console.log(`\nThe model at ${MODEL_PER_SECOND} messages/s, of the layout "apart" (docs/capacity.md):\n`);
  printTable(
    [
      ...roles.map(({ roles: role, micros, main }) => ({
        role,
        cores: digits(cores(micros), 1),
        processes: digits(Math.ceil(cores(main) / USED_SHARE)),
      })),
      { role: 'PostgreSQL', cores: digits(cores(postgres), 1), processes: '' },
      {
        role: `all; at ${100 * USED_SHARE} %`,
        cores: digits(cores(all), 1),
        processes: digits(cores(all) / USED_SHARE),
      },
    ],
    1,
  );
}

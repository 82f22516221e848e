/** The section of VERIFY.md that holds a bundle's indexes and times against each other. */
import * as shell from './shell.ts';
import { CLOCK_TOLERANCE_MS, DAY_MS } from './verify-context.ts';
import type { BundleGuide, StampGuide } from './verify-md-guide.ts';
import { outcomeCheckpoint } from './verify-md-outcomes.ts';

/** A time in a variable of the shell, in milliseconds. `trees`: how many leaves had what it stamps. */
type Time = { variable: string; what: string; who: string; kind?: string; value: string; leaves?: number };

const stamped = (
  variable: string,
  what: string,
  { token, bare, development }: StampGuide,
  leaves?: number,
): Time => ({
  variable,
  what,
  who: development ? 'the development authority' : 'the authority',
  value: `$(stamped ${token}${bare ? ' -token_in' : ''})`,
  ...(leaves !== undefined && { leaves }),
});

/** Needs the blocks before: their files, and that they held. */
export function lineSection(guide: BundleGuide): string {
  const trees = sameTrees(guide);
  const indexes = leafIndexes(guide);
  const order = [...trees, ...indexes];
  return `## The order and the times · El orden y las horas

Two parts of one bundle can each be genuine and yet not both be true. A tree is stamped after all of its leaves came in: outcomes that share a tree
come before each of its time-stamps. Times may differ by ${CLOCK_TOLERANCE_MS / 60_000} minutes, because they come from several clocks; the last lines show them, and on whose word.
${order.length === 0 ? '' : `\n\`\`\`sh\n${order.join('\n')}\n\`\`\`\n`}
\`\`\`sh
${[...FUNCTIONS, ...timeCommands(guide)].join('\n')}
\`\`\`
`;
}

/** Whatever the log signed of one size, is one text. */
function sameTrees({ leaf, deliveries }: BundleGuide): string[] {
  const all = [
    { size: leaf.size, file: 'checkpoint.txt', needs: 'checkpoint.txt' },
    ...deliveries.map(({ leaf: { size, proofEntry } }, i) => ({
      size,
      file: outcomeCheckpoint(i),
      needs: proofEntry,
    })),
  ];
  return all.flatMap(({ size, file, needs }, i) => {
    const earlier = all.slice(0, i).find((other) => other.size === size);
    return earlier === undefined
      ? []
      : [shell.step([earlier.needs, needs], shell.sameTree(earlier.file, file))];
  });
}

function leafIndexes({ leaf, deliveries }: BundleGuide): string[] {
  const proofs = [leaf, ...deliveries.map((delivery) => delivery.leaf)].map(({ proofEntry }) => proofEntry);
  return proofs
    .slice(1)
    .map((proof, i) => shell.step([proofs[i]!, proof], shell.indexBefore(proofs[i]!, proof)));
}

const FUNCTIONS = [
  `stated() { moment "$(field "$1" "$2")" 2> /dev/null || :; }`,
  `stamped() { moment "$(openssl ts -reply -in "$@" -text 2> /dev/null | sed -n 's/^Time stamp: //p')" || :; }`,
  `ordered() {
  if [ -z "$2" ] || [ -z "$3" ]; then echo "MISSING: a time of: $1"; missing=$((missing + 1))
  else check "$1" test "$2" -le $(($3 + ${CLOCK_TOLERANCE_MS})); fi
}`,
];

function timeCommands({
  leaf,
  constancia,
  messageConstancia,
  renewals,
  deliveries,
  count,
}: BundleGuide): string[] {
  const accepted: Time = {
    variable: 'accepted',
    what: 'accepted',
    who: 'the operator',
    value: '$(stated manifest.json accepted_at)',
  };
  const sealed = stamped('sealed', 'sealed', constancia, leaf.size);
  const stamps = [sealed];
  if (messageConstancia !== undefined)
    stamps.push(stamped('own', "the message's own time-stamp", messageConstancia));
  for (const [i, { stamp, leaf: at }] of deliveries.entries())
    if (stamp !== undefined) stamps.push(stamped(`stamp${i + 1}`, `outcome ${i + 1} sealed`, stamp, at.size));
  const occurred = deliveries.map(({ kind, leaf: at }, i) => ({
    kind: `: ${kind}`,
    variable: `occurred${i + 1}`,
    what: `outcome ${i + 1}`,
    who: 'the operator',
    value: `$(stated ${at.entry} occurred_at)`,
    index: at.proof.index,
  }));
  const renewed = renewals.map(({ stamp }, i) => stamped(`renewed${i + 1}`, `renewal ${i + 1}`, stamp));
  const counted: Time[] = count
    ? [
        {
          variable: 'counted',
          what: 'outcomes counted',
          who: 'the log',
          value: `\${counted_at:+$((counted_at * 1000))}`,
        },
      ]
    : [];
  const ended: Time[] = count?.end
    ? [
        {
          variable: 'ended',
          what: 'the log ended',
          who: 'the log',
          value: '$(moment "$(sed -n 5p log-end.note)" 2> /dev/null || :)',
        },
      ]
    : [];
  const all = [accepted, ...occurred, ...stamps, ...renewed, ...counted, ...ended];
  const pairs: [Time, Time][] = [
    ...stamps.map((stamp): [Time, Time] => [accepted, stamp]),
    ...occurred.flatMap((outcome): [Time, Time][] => [
      [accepted, outcome],
      ...stamps
        .filter(({ leaves = 0 }) => leaves > outcome.index)
        .map((stamp): [Time, Time] => [outcome, stamp]),
      ...counted.map((time): [Time, Time] => [outcome, time]),
    ]),
    ...counted.map((time): [Time, Time] => [sealed, time]),
    ...ended.flatMap((end) => [accepted, ...occurred].map((time): [Time, Time] => [time, end])),
    ...renewed.map((renewal, i): [Time, Time] => [[sealed, ...renewed][i]!, renewal]),
  ];
  const times = shell.scratch('times.txt');
  const day = DAY_MS - CLOCK_TOLERANCE_MS;
  return [
    ...all.map(({ variable, value }) => `${variable}=${value}`),
    ...pairs.map(([a, b]) => `ordered "${a.what}, not after: ${b.what}" "$${a.variable}" "$${b.variable}"`),
    `{
${all.map(({ variable, what, who, kind = '' }) => `  echo "$${variable} ${what}${kind}, says ${who}"`).join('\n')}
} | grep '^[0-9]' | sort -n > ${times}`,
    `while read -r ms what; do echo "$(date -u -d "@$((ms / 1000))" +%FT%TZ) $what"; done < ${times}`,
    `latest=$(tail -n 1 ${times} | cut -d ' ' -f 1)`,
    `ordered 'nothing a day after now' "$latest" $(($(date +%s%3N) + ${day}))`,
    'times=compared',
  ];
}

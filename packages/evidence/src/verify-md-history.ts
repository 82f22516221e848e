/** The section of VERIFY.md that shows the trees of a bundle to be one log. */
import * as shell from './shell.ts';
import type { BundleGuide } from './verify-md-guide.ts';
import { outcomeCheckpoint } from './verify-md-outcomes.ts';

export function historySection({ history, leaf, deliveries }: BundleGuide): string {
  const title = '## One log · Un solo registro';
  const sizes = new Set([leaf.size, ...deliveries.map(({ leaf: { size } }) => size)]);
  if (history === null || history?.length === 0 || (history && history.length !== sizes.size - 1))
    return `${title}\n${shell.block(shell.fails('history.txt is not what it should be'))}`;
  if (history === undefined)
    return sizes.size === 1
      ? ''
      : `${title}

The message and its outcomes are proven in several trees, and nothing in this bundle shows that these are one log at different times.
`;
  // If several files have the same tree, the first is used: it is the last that gets lost.
  const checkpoints = new Map([
    ...deliveries
      .map(({ leaf: { size, proofEntry } }, i) => [size, [outcomeCheckpoint(i), proofEntry]] as const)
      .reverse(),
    [leaf.size, ['checkpoint.txt', 'checkpoint.txt']] as const,
  ]);
  const commands = history.map((step) => {
    const [older, olderEntry] = checkpoints.get(step.size) ?? ['', ''];
    const [newer, newerEntry] = checkpoints.get(step.next) ?? ['', ''];
    return shell.step(['history.txt', olderEntry, newerEntry], shell.consistency(step, older, newer));
  });
  return `${title}

The message and its outcomes are proven in several trees. \`history.txt\` shows that each is the beginning of the next: nothing was taken out or
changed between them.
${shell.block(...commands)}`;
}

/** The commands of VERIFY.md for one outcome. */
import type { Sha256 } from './bytes.ts';
import * as shell from './shell.ts';
import type { BundleGuide } from './verify-md-guide.ts';

export const outcomeCheckpoint = (at: number): string => shell.scratch(`outcome-${at + 1}-checkpoint.txt`);

/** `at`: from 0. The time-stamp has commands of its own. */
export function outcomeCommands(
  { deliveries, logPublicKey }: BundleGuide,
  at: number,
  sha256: Sha256,
): string[] {
  const { leaf, shown } = deliveries[at]!;
  const { entry } = leaf;
  const checkpoint = outcomeCheckpoint(at);
  const before = deliveries[at - 1]?.leaf.entry ?? 'manifest.json';
  const commands = [
    shell.extractCheckpoint(leaf.proofEntry, leaf.checkpointText, checkpoint),
    shell.isLeaf(leaf.proofEntry, leaf.proof.index),
    shell.inclusion(entry, leaf.proof, leaf.size, checkpoint),
    shell.checkpointSignature(checkpoint, logPublicKey, leaf.signature),
    shell.names(entry, 'previous', before),
    shell.names(entry, 'message_canonical_hash', 'manifest.json'),
  ];
  if (shown === undefined) return commands;
  const base = entry.slice(0, -'.json'.length);
  commands.push(shell.factsHash(`${base}.openings.json`, shown.facts));
  commands.push(shell.opens(`facts of ${entry}`, entry, shown.facts, sha256));
  for (const [label, file] of [
    ['transcript', 'transcript.json'],
    ['dsn', 'dsn.eml'],
  ] as const) {
    const opening = shown[label];
    if (opening === null) continue;
    commands.push(shell.fileHash(`${base}.${file}`, opening.sha256));
    commands.push(shell.opens(`${label} of ${entry}`, entry, opening, sha256));
  }
  return commands;
}

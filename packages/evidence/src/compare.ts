/**
 * Compares bundles: whether one log, by its key, signed one history. A contradiction is reported as the two
 * signed notes, which anybody can check without us.
 */
import { equalBytes, fromHex, type Sha256, toBase64, toHex, utf8 } from './bytes.ts';
import {
  attempt,
  type Compared,
  type Counted,
  type Entry,
  type LogStory,
  type Placed,
  type ProofFile,
  type Reading,
  readStories,
  type Shown,
  type Story,
} from './compare-read.ts';
import { peaksOf, rootOfPeaks } from './merkle-ranges.ts';
import { outcomesRoot } from './outcomes-note.ts';
import { openPromise } from './promise.ts';
import { formatVerifierKey, type VerifierKey } from './verifier-key.ts';
import { CLOCK_TOLERANCE_MS } from './verify-context.ts';

/** A promise that somebody was given. */
export type ComparedPromise = { file: string; note: string };

/**
 * `fork`: two trees of one size. `rewritten`: two trees, neither of which is the beginning of the other, or
 * two entries in one place. `outcomes_fewer`, `outcomes_other`: two counts of one message's outcomes, the
 * later with fewer or with others. `outcome_hidden`: a count, and an outcome missing from it whose checkpoint
 * had a time-stamp before.
 */
export type ContradictionName = 'fork' | 'rewritten' | 'outcomes_fewer' | 'outcomes_other' | 'outcome_hidden';

/** `notes`: the two that contradict each other. `files`: what else is needed to see it. */
export type Contradiction = {
  name: ContradictionName;
  log: string;
  key: VerifierKey;
  detail: string;
  notes: readonly [ProofFile, ProofFile];
  files: readonly ProofFile[];
};

export type Remark = { log: string; detail: string };

type Remarks = { held: Remark[]; open: Remark[] };

/** `held`: what was compared and agrees. `open`: what nothing here shows either way. */
export type Comparison = {
  contradictions: readonly Contradiction[];
  held: readonly Remark[];
  open: readonly Remark[];
};

/** `trust`: the log keys to accept; default: those that each bundle names. */
export async function compareBundles(
  compared: readonly Compared[],
  promises: readonly ComparedPromise[],
  reading: Reading,
): Promise<Comparison> {
  const { sha256 } = reading;
  const logs = await readStories(compared, reading);
  const contradictions: Contradiction[] = [];
  const held: Remark[] = [];
  const open: Remark[] = [];
  for (const log of logs)
    contradictions.push(...compareTrees(log, { held, open }, sha256), ...compareCounts(log, held, sha256));
  if (logs.length > 1) {
    const names = logs.map(({ key }) => formatVerifierKey(key)).join(', ');
    open.push({
      log: '',
      detail: `these are ${logs.length} logs, which say nothing of each other: ${names}`,
    });
  }
  for (const promise of promises) comparePromise(promise, logs, { held, open }, sha256);
  return { contradictions, held, open };
}

/** Trees against each other: roots of one size, entries in one place, and every subtree that two tell. */
function compareTrees(log: LogStory, remarks: Remarks, sha256: Sha256): Contradiction[] {
  const found: Contradiction[] = [];
  const bySize = new Map<number, Shown>();
  for (const shown of log.shown) {
    const { size, rootHash } = shown.checkpoint;
    const other = bySize.get(size);
    if (other === undefined) bySize.set(size, shown);
    else if (!equalBytes(other.checkpoint.rootHash, rootHash)) {
      const detail = `the log signed two trees of ${size} leaves: ${toBase64(other.checkpoint.rootHash)} and ${toBase64(rootHash)}`;
      found.push(contradiction('fork', log, detail, [other, shown], []));
    }
  }
  if (found.length > 0) return [found[0]!];
  const rewritten = rewrittenTrees(log, bySize, sha256);
  if (rewritten !== undefined) return [rewritten];
  tellAgreement(log, [...bySize.values()], remarks);
  return [];
}

function rewrittenTrees(
  log: LogStory,
  bySize: ReadonlyMap<number, Shown>,
  sha256: Sha256,
): Contradiction | undefined {
  const known = new Map<string, { hash: Uint8Array; shown: Shown }>();
  for (const { range, shown } of log.ranges) {
    const name = `${range.start} ${range.end}`;
    const other = known.get(name);
    if (other === undefined) known.set(name, { hash: range.hash, shown });
    else if (!equalBytes(other.hash, range.hash)) {
      const what =
        range.end - range.start === 1 ? `leaf ${range.start}` : `leaves ${range.start} to ${range.end - 1}`;
      const [a, b] = [other.shown.checkpoint.size, shown.checkpoint.size];
      const detail = `${what} of the log: the tree of ${a} leaves has others than that of ${b}`;
      return contradiction('rewritten', log, detail, [other.shown, shown], [other.shown, shown]);
    }
  }
  for (const shown of bySize.values()) {
    const { size, rootHash } = shown.checkpoint;
    const peaks = peaksOf(size).map(([start, end]) => known.get(`${start} ${end}`));
    if (peaks.some((peak) => peak === undefined)) continue;
    const root = rootOfPeaks(
      peaks.map((peak) => peak!.hash),
      sha256,
    );
    const larger = peaks.map((peak) => peak!.shown).find((each) => each.checkpoint.size !== size);
    if (equalBytes(root, rootHash) || larger === undefined) continue;
    const detail = `the tree of ${size} leaves is not the beginning of that of ${larger.checkpoint.size}`;
    return contradiction('rewritten', log, detail, [shown, larger], [shown, larger]);
  }
  return undefined;
}

/** From each tree to the next larger: whether what is here proves that it is its beginning. */
function tellAgreement(log: LogStory, trees: readonly Shown[], { held, open }: Remarks): void {
  const ascending = [...trees].sort((a, b) => a.checkpoint.size - b.checkpoint.size);
  const sizes = ascending.map(({ checkpoint }) => checkpoint.size);
  const loose = ascending.slice(0, -1).filter(({ checkpoint: { size } }) => {
    const larger = log.ranges.filter(({ shown }) => shown.checkpoint.size > size);
    return !peaksOf(size).every(([start, end]) =>
      larger.some(({ range }) => range.start === start && range.end === end),
    );
  });
  const name = log.key.name;
  if (loose.length === 0 && sizes.length > 0)
    held.push({ log: name, detail: `one log: its trees of ${sizes.join(', ')} leaves do not contradict` });
  for (const { checkpoint } of loose)
    open.push({
      log: name,
      detail: `nothing here shows whether the tree of ${checkpoint.size} leaves is the beginning of the larger ones`,
    });
}

/** Counts of one message's outcomes against each other, and against the outcomes that anybody shows. */
function compareCounts(log: LogStory, held: Remark[], sha256: Sha256): Contradiction[] {
  const found: Contradiction[] = [];
  for (const message of new Set(log.counted.map((each) => each.message))) {
    const counted = log.counted.filter((each) => each.message === message).sort(byTime);
    const stories = log.stories.filter((each) => each.message === message);
    const wrong = firstLie(log, counted, stories, sha256);
    if (wrong !== undefined) found.push(wrong);
    else
      held.push({
        log: log.key.name,
        detail: `message ${message.slice(0, 16)}…: ${counted.length === 1 ? '1 count' : `${counted.length} counts`} of its outcomes, which nothing here contradicts`,
      });
  }
  return found;
}

const byTime = (a: Counted, b: Counted) => a.asOf - b.asOf || a.size - b.size;

function firstLie(
  log: LogStory,
  counted: readonly Counted[],
  stories: readonly Story[],
  sha256: Sha256,
): Contradiction | undefined {
  for (const [i, earlier] of counted.entries()) {
    for (const later of counted.slice(i + 1)) {
      if (later.size < earlier.size)
        return ofCounts('outcomes_fewer', log, earlier, later, 'the later one has fewer');
      // Outcomes that both count have the same root, if either shows them.
      const shown = stories.find(({ entries }) => isCount(later, entries, sha256));
      const differs =
        later.size === earlier.size
          ? !equalBytes(later.root, earlier.root)
          : shown !== undefined && !isCount(earlier, shown.entries, sha256);
      if (differs) return ofCounts('outcomes_other', log, earlier, later, 'they do not begin alike');
    }
    for (const story of stories) {
      const hidden = hiddenFrom(earlier, story, sha256);
      if (hidden !== undefined) return ofHidden(log, earlier, hidden);
    }
  }
  return undefined;
}

/** True if the note counts the first of these entries. */
function isCount({ size, root }: Counted, entries: readonly Entry[], sha256: Sha256): boolean {
  if (entries.length < size) return false;
  const hashes = entries.slice(0, size).map(({ hash }) => fromHex(hash)!);
  return equalBytes(outcomesRoot(hashes, sha256), root);
}

/** The first outcome that the count lacks, though a time-stamp over its checkpoint is older. */
function hiddenFrom(counted: Counted, { entries }: Story, sha256: Sha256): Placed | undefined {
  // If the outcomes differ or are in another order, comparing the counts shows it.
  if (!isCount(counted, entries, sha256)) return undefined;
  const counts = new Set(entries.slice(0, counted.size).map(({ hash }) => hash));
  return entries
    .slice(counted.size)
    .filter(({ hash }) => !counts.has(hash))
    .flatMap(({ placed }) => placed ?? [])
    .find(({ stampedAt }) => stampedAt !== undefined && stampedAt + CLOCK_TOLERANCE_MS < counted.asOf * 1000);
}

const told = ({ size, asOf }: Counted): string =>
  `${size === 2 ? '1 outcome' : `${size - 1} outcomes`} on ${new Date(asOf * 1000).toISOString()}`;

function ofCounts(
  name: ContradictionName,
  log: LogStory,
  earlier: Counted,
  later: Counted,
  why: string,
): Contradiction {
  return {
    name,
    log: log.key.name,
    key: log.key,
    detail: `of message ${earlier.message.slice(0, 16)}… the log signed ${told(earlier)} (${earlier.from.file}) and ${told(later)} (${later.from.file}): ${why}`,
    notes: [
      { name: '1-outcomes.note', content: earlier.note },
      { name: '2-outcomes.note', content: later.note },
    ],
    files: [],
  };
}

function ofHidden(log: LogStory, counted: Counted, hidden: Placed): Contradiction {
  const { from, note, proof } = hidden.shown;
  const time = new Date(hidden.stampedAt!).toISOString();
  return {
    name: 'outcome_hidden',
    log: log.key.name,
    key: log.key,
    detail: `of message ${counted.message.slice(0, 16)}… the log signed ${told(counted)} (${counted.from.file}), without that of ${from.file}, whose checkpoint was stamped on ${time}`,
    notes: [
      { name: '1-outcomes.note', content: counted.note },
      { name: '2-checkpoint.note', content: utf8(note) },
    ],
    files: [{ name: '2-outcome.tlog-proof', content: proof }, ...hidden.stamp],
  };
}

function contradiction(
  name: ContradictionName,
  log: LogStory,
  detail: string,
  [a, b]: readonly [Shown, Shown],
  proofs: readonly Shown[],
): Contradiction {
  return {
    name,
    log: log.key.name,
    key: log.key,
    detail: `${detail} (${a.from.file}, ${b.from.file})`,
    notes: [
      { name: '1-checkpoint.note', content: utf8(a.note) },
      { name: '2-checkpoint.note', content: utf8(b.note) },
    ],
    files: proofs.map(({ proof }, i) => ({ name: `${i + 1}-proof.tlog-proof`, content: proof })),
  };
}

/** A promise is kept if a tree that was stamped by its deadline holds the entry. */
function comparePromise(
  { file, note }: ComparedPromise,
  logs: readonly LogStory[],
  { held, open }: Remarks,
  sha256: Sha256,
): void {
  for (const log of logs) {
    const promise = attempt(() => openPromise(note, [log.key], sha256));
    if (promise === undefined) continue;
    const entry = toHex(promise.canonicalHash);
    const places = log.placed.filter((each) => each.entry === entry);
    const deadline = new Date(promise.deadline * 1000).toISOString();
    const kept = places.find(
      ({ stampedAt }) => stampedAt !== undefined && stampedAt <= promise.deadline * 1000,
    );
    const name = log.key.name;
    if (kept !== undefined) {
      held.push({
        log: name,
        detail: `promise ${file}: kept, as leaf ${kept.index}, stamped by ${deadline}`,
      });
    } else {
      const why =
        places.length === 0 ? 'its entry is in no file here' : `nothing in this file was stamped by then`;
      open.push({ log: name, detail: `promise ${file}, to be kept by ${deadline}: ${why}` });
    }
    return;
  }
  open.push({ log: '', detail: `promise ${file} is of no log here` });
}

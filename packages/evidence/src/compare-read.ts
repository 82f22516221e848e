/** Verified statements of each log's key in some bundles. */
import type { Bundle } from './bundle.ts';
import { fromHex, type Sha256, toHex } from './bytes.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { assertCosignedMldsa44 } from './cosignature-mldsa44.ts';
import { parseDeliveryManifest } from './delivery.ts';
import { EvidenceError } from './errors.ts';
import { readHistory } from './history.ts';
import { parseCanonical } from './jcs.ts';
import { parseMessageManifest } from './manifest.ts';
import { assertConsistency, assertInclusion, leafHash } from './merkle.ts';
import { type CompleteRange, consistencyRanges, inclusionRanges } from './merkle-ranges.ts';
import { parseOpenings } from './openings.ts';
import { assertCountedMldsa44, openOutcomes, outcomesOrigin } from './outcomes-note.ts';
import { readTrustPolicy, type TrustPolicy } from './policy.ts';
import { parseTlogProof } from './tlog-proof.ts';
import { formatVerifierKey, type VerifierKey } from './verifier-key.ts';
import type { Verification } from './verify.ts';
import { requiredMldsa44, secondSignatures } from './verify-mldsa44.ts';

/** A file to compare. `stamps`: the valid ones of its verification. */
export type Compared = Pick<Verification, 'stamps'> & { file: string; bundle: Bundle; asked?: AskedNote };

/** A later answer of the log: a note like outcomes.note, and its file. */
export type AskedNote = { file: string; note: Uint8Array };

export type ProofFile = { name: string; content: Uint8Array };

export type Source = { file: string; entry: string };

/** A checkpoint signed by the log's key. `proof`: its file. */
export type Shown = { from: Source; checkpoint: Checkpoint; note: string; proof: Uint8Array };

/**
 * An entry of the log, proven to be in a shown tree. `stampedAt`: of that checkpoint (ms); `stamp`: the files
 * of that.
 */
export type Placed = {
  entry: string;
  index: number;
  shown: Shown;
  stampedAt: number | undefined;
  stamp: readonly ProofFile[];
};

/** The log's signed count of a message's outcomes. `asOf`: Unix seconds. */
export type Counted = {
  from: Source;
  message: string;
  size: number;
  root: Uint8Array;
  asOf: number;
  note: Uint8Array;
};

/** A message and its outcomes, in one bundle's order. */
export type Story = { file: string; message: string; entries: readonly Entry[] };
export type Entry = { hash: string; placed: Placed | undefined };

/** Everything that one key of a log signed. */
export type LogStory = {
  key: VerifierKey;
  shown: Shown[];
  placed: Placed[];
  ranges: { range: CompleteRange; shown: Shown }[];
  counted: Counted[];
  stories: Story[];
};

/** `now`: when keys must be trusted under what no time-stamp covers. */
export type Reading = { sha256: Sha256; now: Date; trust?: TrustPolicy };

type Opening = Omit<Reading, 'trust'> & { second: Awaited<ReturnType<typeof secondSignatures>> };

/**
 * Stories by the log's key. `trust`: the log keys to accept; default: those that each bundle names. Skips
 * statements that do not verify, also by each second key trusted then.
 */
export async function readStories(
  compared: readonly Compared[],
  { trust, now, sha256 }: Reading,
): Promise<LogStory[]> {
  const logs = new Map<string, LogStory>();
  for (const each of compared) {
    const policy = trust ?? attempt(() => policyOf(each.bundle, sha256));
    if (policy === undefined) continue;
    const second = await secondSignatures(policy);
    readBundleStory(logs, each, policy, { now, sha256, second });
  }
  return [...logs.values()].filter(({ shown }) => shown.length > 0);
}

function readBundleStory(
  logs: Map<string, LogStory>,
  compared: Compared,
  policy: TrustPolicy,
  opening: Opening,
): void {
  const { file, bundle, stamps } = compared;
  const { sha256, now } = opening;
  const manifest = attempt(() => parseMessageManifest(bundle.get('manifest.json')!));
  if (manifest === undefined) return;
  const keys = policy.logKeys.filter(({ name }) => name === manifest.log);
  const message = sha256(bundle.get('manifest.json')!);
  const place = (entry: string, base: string, token: string, chain: string): Placed | undefined => {
    const genTime = stamps.get(token)?.genTime;
    const stampedAt = genTime === undefined ? undefined : Date.parse(genTime);
    const stamp = [token, `chain/${chain}.pem`].flatMap((name) => {
      const content = bundle.get(name);
      return content === undefined ? [] : [{ name: `2-${name.replace(/^.*\//, '')}`, content }];
    });
    const bytes = bundle.get(`${base}.tlog-proof`);
    for (const story of bytes === undefined ? [] : keys.map((key) => storyOf(logs, key))) {
      const from = { file, entry: `${base}.tlog-proof` };
      const at = stampedAt === undefined ? now : new Date(stampedAt);
      const signed = { bytes: bytes!, from, at };
      const found = attempt(() => openPlace(story, signed, fromHex(entry)!, opening));
      if (found === undefined) continue;
      const placed = { entry, stampedAt, stamp, ...found };
      story.placed.push(placed);
      return placed;
    }
    return undefined;
  };
  const own = place(toHex(message), 'proof', 'constancia.tsr', 'constancia');
  const outcomes = outcomesOf(bundle, toHex(message)).map(({ base, bytes }, i): Entry => {
    const hash = toHex(sha256(bytes));
    const chain = `delivery-${String(i + 1).padStart(2, '0')}`;
    return { hash, placed: place(hash, base, `${base}.tsr`, chain) };
  });
  const withheld = attempt(() => parseOpenings(bundle.get('openings.json')!).withheld) ?? [];
  const entries: Entry[] = [
    { hash: toHex(message), placed: own },
    ...outcomes,
    ...withheld.map((hash) => ({ hash, placed: undefined })),
  ];
  for (const key of keys) {
    const story = storyOf(logs, key);
    story.stories.push({ file, message: toHex(message), entries });
    addSteps(story, file, bundle, sha256);
    const ofMessage = { log: manifest.log, hash: toHex(message) };
    const counted = attempt(() => countOf(compared, ofMessage, key, opening));
    if (counted !== undefined) story.counted.push(counted);
    const { asked } = compared;
    if (asked === undefined) continue;
    const again = new Map([['outcomes.note', asked.note]]);
    const answered = attempt(() =>
      countOf({ ...compared, file: asked.file, bundle: again }, ofMessage, key, opening),
    );
    if (answered !== undefined) story.counted.push(answered);
  }
}

function policyOf(bundle: Bundle, sha256: Sha256): TrustPolicy {
  return readTrustPolicy(parseCanonical(bundle.get('policy.json')!, 'policy'), sha256);
}

function storyOf(logs: Map<string, LogStory>, key: VerifierKey): LogStory {
  const name = formatVerifierKey(key);
  const known = logs.get(name);
  if (known !== undefined) return known;
  const made = { key, shown: [], placed: [], ranges: [], counted: [], stories: [] };
  logs.set(name, made);
  return made;
}

/** Adds the checkpoint, and every complete subtree on the path, once all of it verifies. */
function openPlace(
  story: LogStory,
  { from, bytes, at }: { from: Source; bytes: Uint8Array; at: Date },
  canonicalHash: Uint8Array,
  { sha256, second }: Opening,
): { index: number; shown: Shown } {
  const { index, path, checkpointNote } = parseTlogProof(bytes);
  const { checkpoint, note: signed } = openCheckpoint(checkpointNote, [story.key]);
  for (const key of requiredMldsa44(second, story.key.name, at))
    assertCosignedMldsa44(signed, key, second.mldsa44);
  const leaf = leafHash(canonicalHash, sha256);
  assertInclusion({ leaf, index, size: checkpoint.size, path, root: checkpoint.rootHash }, sha256);
  const shown = { from, checkpoint, note: checkpointNote, proof: bytes };
  story.shown.push(shown);
  for (const range of inclusionRanges(leaf, index, checkpoint.size, path, sha256))
    story.ranges.push({ range, shown });
  return { index, shown };
}

/** The proof of history.txt about the later of two trees. */
function addSteps(story: LogStory, file: string, bundle: Bundle, sha256: Sha256): void {
  const bytes = bundle.get('history.txt');
  const shown = story.shown.filter(({ from }) => from.file === file);
  for (const { size, next, path } of (bytes && attempt(() => readHistory(bytes))) ?? []) {
    const earlier = shown.find(({ checkpoint }) => checkpoint.size === size);
    const later = shown.find(({ checkpoint }) => checkpoint.size === next);
    if (earlier === undefined || later === undefined) continue;
    const [oldRoot, newRoot] = [earlier.checkpoint.rootHash, later.checkpoint.rootHash];
    const claimed = { oldSize: size, oldRoot, newSize: next, newRoot, path };
    if (attempt(() => assertConsistency(claimed, sha256) ?? true) === undefined) continue;
    for (const range of consistencyRanges(size, next, path)) story.ranges.push({ range, shown: later });
  }
}

/** Only outcomes of this message: its count has no others. */
function outcomesOf(bundle: Bundle, message: string): { base: string; bytes: Uint8Array }[] {
  const names = [...bundle.keys()].filter((name) => /^delivery\/[^.]+\.json$/.test(name)).sort();
  return names
    .map((name) => ({ base: name.slice(0, -'.json'.length), bytes: bundle.get(name)! }))
    .filter(({ bytes }) => attempt(() => parseDeliveryManifest(bytes))?.message_canonical_hash === message);
}

function countOf(
  { file, bundle }: Compared,
  { log, hash: message }: { log: string; hash: string },
  key: VerifierKey,
  { sha256, second }: Opening,
): Counted {
  const note = bundle.get('outcomes.note')!;
  const opened = openOutcomes(note, outcomesOrigin(log, message), [key], sha256);
  const { count, rootHash, asOf } = opened;
  for (const each of requiredMldsa44(second, key.name, new Date(asOf * 1000)))
    assertCountedMldsa44(opened.note, asOf, each, second.mldsa44);
  const from = { file, entry: 'outcomes.note' };
  return { from, message, size: count + 1, root: rootHash, asOf, note };
}

/** Undefined if it cannot be read or does not verify: then it is not a statement of the log. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof EvidenceError || error instanceof TypeError) return undefined;
    throw error;
  }
}

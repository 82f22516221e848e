import {
  type ArchivedRenewals,
  ArchiveWriter,
  bundleFromArchive,
  nameOfRenewal,
  withRenewals,
} from '@acuse/evidence/archive';
import type { ArchiveIndex } from '@acuse/evidence/archive-index';
import { readArchivedRenewals, readPartMessages } from '@acuse/evidence/archive-verify';
import type { Bundle } from '@acuse/evidence/bundle';
import { toHex } from '@acuse/evidence/bytes';
import { MAX_LISTED, MAX_RENEWALS, renewalImprint, renewalList, renewalSums } from '@acuse/evidence/renewal';
import { verifyEntries } from '@acuse/evidence/verify';
import type { Clock } from '../../platform/clock.ts';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import { isWorthwhile } from '../renewal/renew.ts';
import type { Authorities, VerifiedStamp } from '../stamp/authorities.ts';
import { reader } from './archive-bundle.ts';
import { type IndexFile, openIndexFile } from './archive-index-file.ts';
import type { ArchivePlace } from './archive-place.ts';
import type { ArchiveOrder } from './create.ts';
import { toRenewalStep } from './renewal-step.ts';

/**
 * Renews the constancias of an archive from its objects alone: one time-stamp for up to MAX_LISTED
 * checkpoints, in an object of its own. Earlier ones stay.
 */
export interface RenewArchiveDeps {
  readonly clock: Clock;
  readonly authorities: Authorities;
  /** Chains that end within this are renewed (ms). */
  readonly renewBeforeMs: number;
  /** After each stamp that was stored; costs belong to somebody. */
  charge(stamp: VerifiedStamp, checkpoints: number): Promise<void>;
  onProgress?(done: number, all: number): void;
}

export interface ArchiveRenewed {
  readonly checkpoints: number;
  readonly renewed: number;
  readonly stamps: number;
  readonly reasons: readonly string[];
}

interface Constancia {
  readonly checkpoint: string;
  /** Files that a renewal covers, without revocation data. */
  readonly entries: Bundle;
  revocation: Bundle;
  /** Null: no longer valid, for `reason`. */
  readonly coveredUntil: Date | null;
  readonly reason: string;
}

type Due = Constancia & { readonly coveredUntil: Date };

/** Throws ArchiveChanged, ArchiveUnreachable; EvidenceError for objects that cannot be read. */
export async function renewArchive(
  deps: RenewArchiveDeps,
  place: ArchivePlace,
  order: ArchiveOrder,
  signal: AbortSignal,
): Promise<ArchiveRenewed> {
  await place.prepare();
  const file = await openIndexFile(place, order);
  const read = reader(place);
  const renewals = await readArchivedRenewals(read, file.index, sha256);
  const constancias = await readConstancias(read, file.index, renewals, deps);
  const dueBefore = new Date(deps.clock.now().getTime() + deps.renewBeforeMs);
  const isDue = (each: Constancia): each is Due =>
    each.coveredUntil !== null && each.coveredUntil < dueBefore;
  const due = constancias.filter(isDue);
  const reasons = constancias.flatMap(({ checkpoint, coveredUntil, reason }) =>
    coveredUntil === null ? [`checkpoint ${checkpoint}: ${reason}`] : [],
  );
  let [renewed, stamps] = [0, 0];
  await file.tidy();
  for (let at = 0; at < due.length; at += MAX_LISTED) {
    const some = due.slice(at, at + MAX_LISTED);
    const refused = await renewTogether(deps, file, { due: some, renewals }, signal);
    if (refused !== null) {
      reasons.push(refused);
      break;
    }
    renewed += some.length;
    stamps++;
  }
  return { checkpoints: constancias.length, renewed, stamps, reasons };
}

async function readConstancias(
  read: Parameters<typeof readPartMessages>[0],
  { parts }: ArchiveIndex,
  renewals: ArchivedRenewals,
  { clock, onProgress }: RenewArchiveDeps,
): Promise<Constancia[]> {
  const found = new Map<string, Constancia>();
  for (const [i, part] of parts.entries()) {
    const { messages, sha256: hash } = await readPartMessages(read, part, sha256);
    for (const { archived } of messages) {
      const checkpoint = toHex(hash(archived.get('checkpoint.txt') ?? new Uint8Array(0)));
      const known = found.get(checkpoint);
      const pieces = new Map([...archived].filter(([name]) => name.startsWith('revocation/')));
      if (known !== undefined)
        known.revocation = new Map([...known.revocation].filter(([name]) => pieces.has(name)));
      else {
        const stands = await look(bundleFromArchive(archived, renewals, hash), clock.now());
        const entries = new Map([...archived].filter(([name]) => RENEWED.includes(name)));
        found.set(checkpoint, { checkpoint, entries, revocation: pieces, ...stands });
      }
    }
    onProgress?.(i + 1, parts.length);
  }
  return [...found.values()];
}

const RENEWED = ['checkpoint.txt', 'constancia.tsr', 'chain/constancia.pem'];

/** One bundle of a checkpoint stands for its constancia. A broken chain cannot be repaired. */
async function look(bundle: Bundle, now: Date): Promise<Pick<Constancia, 'coveredUntil' | 'reason'>> {
  const { valid, checks, facts } = await verifyEntries(bundle, { sha256, ed25519, now, at: now });
  const failed = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  if (!valid || facts.covered_until === undefined) return { coveredUntil: null, reason: failed.join('; ') };
  return { coveredUntil: new Date(facts.covered_until), reason: '' };
}

/** Null: done; otherwise why not. */
async function renewTogether(
  deps: RenewArchiveDeps,
  file: IndexFile,
  { due, renewals }: { readonly due: readonly Due[]; readonly renewals: ArchivedRenewals },
  signal: AbortSignal,
): Promise<string | null> {
  const { authorities, clock } = deps;
  const wanted = due.map((each) => {
    const steps = renewals.get(each.checkpoint) ?? [];
    const ordinal = steps.length + 1;
    const covered = withRenewals(new Map([...each.entries, ...each.revocation]), steps, sha256);
    return { ...each, ordinal, sums: renewalSums(covered, ordinal) };
  });
  const full = wanted.find(({ ordinal }) => ordinal > MAX_RENEWALS);
  if (full !== undefined) return `checkpoint ${full.checkpoint}: renewed ${MAX_RENEWALS} times`;
  const list = wanted.length === 1 ? null : renewalList(wanted.map(({ sums }) => sums));
  const obtained = await authorities.obtain(
    {
      imprint: renewalImprint(list ?? wanted[0]!.sums),
      hashAlgorithm: 'sha512',
      notBefore: clock.now(),
      suffices: (ends) => due.every(({ coveredUntil }) => isWorthwhile(coveredUntil, ends, clock.now())),
    },
    signal,
  );
  if (obtained.kind === 'failed') return obtained.reason;
  const { stamp } = obtained;
  const ends = new Date(stamp.facts.chainNotAfter);
  if (!due.every(({ coveredUntil }) => isWorthwhile(coveredUntil, ends, clock.now())))
    return `${stamp.authority}: its own chain ends at ${ends.toISOString()}, which is hardly later than what is to be renewed`;
  const writer = new ArchiveWriter(sha256);
  for (const { checkpoint, ordinal, sums } of wanted)
    writer.add(
      nameOfRenewal(checkpoint, ordinal),
      toRenewalStep({
        ...{ ordinal, sums, list, token: stamp.token, chain: stamp.facts.certificates },
        ...{ policy: stamp.policy, issued: stamp.issued, revocation: stamp.revocation },
      }),
    );
  const bytes = writer.finish();
  const hash = toHex(sha256(bytes));
  await file.write(bytes, hash);
  await file.save({ renewals: [...file.index.renewals, { sha256: hash, size: bytes.length }] });
  await file.tidy();
  await deps.charge(stamp, due.length);
  return null;
}

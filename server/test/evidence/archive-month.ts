import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ArchiveReport, verifyArchive } from '@acuse/evidence/archive-verify';
import type { TrustPolicy } from '@acuse/evidence/policy';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { reader } from '../../src/evidence/archive/archive-bundle.ts';
import { type ArchivePlace, archiveWithin } from '../../src/evidence/archive/archive-place.ts';
import { type ArchiveMade, createArchive } from '../../src/evidence/archive/create.ts';
import { openArchiveFolder } from '../../src/evidence/archive/open-archive.ts';
import { readProofBundle } from '../../src/evidence/bundle/proof-bundle.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { type AgingTsa, PastClock, startAgingTsa } from './aging.ts';
import { attempt, comeBack } from './deliveries.ts';
import { openSealingWorld, sealAll } from './seal-all.ts';
import { addMessages, type TestMessage, type World } from './support.ts';

/** A month that is over, with five messages in it, the first three under one checkpoint. */
export interface ArchiveMonth {
  readonly world: World;
  readonly clock: PastClock;
  readonly tsa: AgingTsa;
  readonly tenantId: string;
  readonly month: string;
  readonly messages: readonly TestMessage[];
  create(place: ArchivePlace, dryRun?: boolean): Promise<ArchiveMade>;
  /** A late outcome of one of the first three messages. */
  complain(message: TestMessage): Promise<void>;
  /** Under the keys that this installation has, and an authority that is no development's. */
  verify(place: ArchivePlace, at?: Date): Promise<ArchiveReport>;
  trust(): Promise<TrustPolicy>;
}

/** The signer of its constancias lasts some 150 days more. */
export async function openArchiveMonth(): Promise<ArchiveMonth> {
  const clock = new PastClock(400);
  const { world, tsa, tenantId } = await openSealingWorld(startAgingTsa(clock, 200), clock);
  // Away from the ends of a month, which the set-up could run over.
  while (clock.now().getUTCDate() !== 15) clock.forward(1);
  const month = clock.now().toISOString().slice(0, 7);
  const messages: TestMessage[] = [];
  for (const [count, kind] of [[3, 'sent'] as const, [2, 'bounced'] as const]) {
    const made = await addMessages(world.db, world.log, tenantId, count, clock.now());
    await attempt(world.db, made, kind, clock);
    await sealAll(world, tsa);
    messages.push(...made);
  }
  clock.forward(31);

  async function trust(): Promise<TrustPolicy> {
    const { trust: own } = await readProofBundle(world, tenantId, messages[0]!.messageId);
    return { ...own, timeStamps: own.timeStamps.map((each) => ({ ...each, development: false })) };
  }
  return {
    ...{ world, clock, tsa, tenantId, month, messages, trust },
    create: (place, dryRun = false) => createArchive(world, place, { tenantId, month }, { dryRun }),
    async complain(message) {
      await comeBack(world.db, message, 'complaint', clock);
      await sealAll(world, tsa);
    },
    async verify(place, at) {
      const options = { sha256, now: clock.now() };
      const report = await verifyArchive(reader(place), {
        ...{ ...options, trust: await trust() },
        ...(at && { at }),
      });
      if (report === undefined) throw new Error('no archive');
      return report;
    },
  };
}

/** An archive in a folder, as files. */
export class ArchiveFiles {
  readonly root = tempFolder();
  readonly folder: string;
  readonly place: ArchivePlace;

  constructor({ tenantId, month }: Pick<ArchiveMonth, 'tenantId' | 'month'>) {
    this.folder = join(this.root, tenantId, month);
    this.place = archiveWithin(openArchiveFolder(this.root), tenantId, month);
  }

  pathOf(name: string): string {
    return join(this.folder, name);
  }

  /** The objects that are there. */
  objects(): string[] {
    return readdirSync(this.folder).sort();
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever is in it
  index(): any {
    return JSON.parse(readFileSync(this.pathOf('archive.json'), 'utf8'));
  }

  /** The objects that there should be. */
  listed(): string[] {
    const { parts, renewals } = this.index();
    const names = [...parts, ...renewals].map(({ sha256 }) => `${sha256}.zip`);
    return [...names, 'archive.json'].sort();
  }
}

import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { verifierKey } from '@acuse/evidence/verifier-key';
import { AnchorUnreachable } from '../../evidence/log/anchor/anchor.ts';
import { listLogs } from '../../evidence/log/log-store.ts';
import { MirrorUnreachable } from '../../evidence/log/mirror/mirror.ts';
import { countMirrored } from '../../evidence/log/mirror/mirror-progress.ts';
import { howToReach, openAnchor, openMirror } from '../../evidence/log/open-outside.ts';
import { ed25519 } from '../../platform/ed25519.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

const SETTING = 'ACUSE_LOG_MIRROR';

/** The newest 65 536 leaves; acuse log mirror reads all. */
const BLOCKS_LOOKED_AT = 256;

export const mirror: Group = async ({ config, db }, _options, signal) => {
  const opened = openMirror(config);
  if (opened === null) return config.delivery === 'sandbox' ? [] : [NONE];
  const anchor = openAnchor(config);
  if (db === null || anchor === null) return [];
  const found: Finding[] = [];
  try {
    for (const { origin, publicKey } of await listLogs(db)) {
      const note = await anchor.read(origin);
      if (note === null) continue;
      const { size } = openCheckpoint(note, [verifierKey(origin, publicKey, sha256)], ed25519).checkpoint;
      const copied = await countMirrored(opened, origin, size, {
        blocks: BLOCKS_LOOKED_AT,
        signal,
      });
      found.push(judgeMirror(origin, opened.place, { size, copied }));
    }
  } catch (error) {
    // The anchor's group reports it.
    if (error instanceof AnchorUnreachable) return [];
    if (!(error instanceof MirrorUnreachable)) throw error;
    found.push(fault('problem', ['mirror', opened.place], error.message, reach(opened.place)));
  }
  return found;
};

const NONE = fault(
  'advice',
  ['mirror', SETTING],
  'None is configured: where a restored database lacks leaves that were published, the log must end.',
  `run acuse log mirror --fill with ${SETTING} set to a folder or a bucket outside the database and its backups, then set it for every process`,
);

const reach = (place: string) =>
  `${howToReach(place)}, and let the service write to it: nothing is sealed meanwhile`;

function judgeMirror(
  origin: string,
  place: string,
  { size, copied }: { readonly size: number; readonly copied: number },
): Finding {
  const about = ['mirror', origin] as const;
  if (copied >= size)
    return ok(...about, `The newest of the ${size} leaves that were published are at ${place}.`);
  return fault(
    'problem',
    about,
    `${place} is behind by ${size - copied} leaves or more out of ${size} that were published: a lost database could not be brought up to them.`,
    'run acuse log mirror --fill with the environment of the service',
  );
}

import { askPath } from '@acuse/evidence/ask';
import { readBundle } from '@acuse/evidence/bundle';
import { looksLikeCase } from '@acuse/evidence/case-file';
import { EvidenceError } from '@acuse/evidence/errors';
import { readPinnedPolicy } from '@acuse/evidence/policy';
import { type Verification, verifyBundle } from '@acuse/evidence/verify';
import { sha256 } from '@noble/hashes/sha2.js';
import { digest } from '../../shared/evidence/digest.ts';
import { element } from '../../shared/evidence/element.ts';
import { now } from '../../shared/format/clock.ts';
import {
  byId,
  canVerify,
  logEnds,
  message,
  ownPolicy,
  showCase,
  showVerification,
  startPage,
  verifyCase,
} from './page.ts';

/**
 * The program of /verify: reads the visitor's files, verifies them here and shows the result. Makes no
 * request.
 */

type Slot = 'bundle' | 'eml' | 'trust';
const SLOTS: readonly Slot[] = ['bundle', 'eml', 'trust'];

const page = startPage('title');
const able = canVerify(page);
const given: Partial<Record<Slot, Uint8Array>> = {};
/** Counts runs, so that a slow one never overwrites a later one. */
let run = 0;

async function verify(): Promise<void> {
  if (!able || given.bundle === undefined) return;
  const mine = ++run;
  page.show(({ working }) => element('p', working));
  try {
    const trust = given.trust && readPinnedPolicy(JSON.parse(new TextDecoder().decode(given.trust)), sha256);
    const options = {
      sha256,
      digest,
      now: now(),
      ends: logEnds(),
      own: readPinnedPolicy(ownPolicy(), sha256),
      ...(trust && { trust }),
    };
    if (looksLikeCase(given.bundle)) {
      const found = await verifyCase(given.bundle, (bundle) => verifyBundle(bundle, options));
      if (mine === run) showCase(page, found);
      return;
    }
    const verification = await verifyBundle(given.bundle, {
      ...options,
      ...(given.eml && { eml: given.eml }),
    });
    if (mine !== run) return;
    showVerification(page, verification, askPathOf(given.bundle, verification));
  } catch (error) {
    if (mine !== run) return;
    page.result.dataset['valid'] = 'false';
    const reason = error instanceof EvidenceError ? error.detail : String(error);
    page.show(({ failed }) => message(failed(reason), ''));
  }
}

/** Undefined unless the log is this very service's, and has counted. */
function askPathOf(bundle: Uint8Array, { valid, facts }: Verification): string | undefined {
  if (!valid || facts.trust !== 'own' || facts.outcomes_as_of === undefined) return undefined;
  return askPath(readBundle(bundle).get('manifest.json')!, sha256);
}

/** The slot that a dropped file is for: by its name, and a ZIP by its first bytes. */
function slotOf(name: string, bytes: Uint8Array): Slot {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return 'bundle';
  if (/\.eml$/i.test(name)) return 'eml';
  return /policy/i.test(name) && /\.json$/i.test(name) ? 'trust' : 'bundle';
}

async function take(files: Iterable<File>, slot?: Slot): Promise<void> {
  for (const file of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const at = slot ?? slotOf(file.name, bytes);
    given[at] = bytes;
    byId(`${at}-name`).textContent = file.name;
  }
  await verify();
}

for (const slot of SLOTS) {
  byId(slot).addEventListener(
    'change',
    (event) => void take((event.target as HTMLInputElement).files ?? [], slot),
  );
}
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  void take(event.dataTransfer?.files ?? []);
});

import { EvidenceError } from '@acuse/evidence/errors';
import { readPinnedPolicy } from '@acuse/evidence/policy';
import { verifyBundle } from '@acuse/evidence/verify';
import { sha256 } from '@noble/hashes/sha2.js';
import { drawReport, element } from './report.ts';
import { type Language, WORDS } from './words.ts';

/**
 * The page's program: reads the files that the visitor gives, verifies them here, and draws what came of it.
 * Makes no request.
 */

type Slot = 'bundle' | 'eml' | 'trust';
const SLOTS: readonly Slot[] = ['bundle', 'eml', 'trust'];

const given: Partial<Record<Slot, Uint8Array>> = {};
let language: Language = navigator.language.toLowerCase().startsWith('es') ? 'es' : 'en';
/** Counts runs, so that a slow one never overwrites a later one. */
let run = 0;

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

function speak(): void {
  const words = WORDS[language];
  document.documentElement.lang = language;
  document.title = words.title;
  for (const node of document.querySelectorAll<HTMLElement>('[data-word]')) {
    node.textContent = words[node.dataset['word'] as 'title'];
  }
  for (const node of document.querySelectorAll<HTMLElement>('[data-language]')) {
    node.setAttribute('aria-pressed', String(node.dataset['language'] === language));
  }
}

async function verify(): Promise<void> {
  if (given.bundle === undefined) return;
  const mine = ++run;
  const words = WORDS[language];
  const out = byId('result');
  out.replaceChildren(element('p', words.working));
  let drawn: Node;
  try {
    const trust = given.trust && readPinnedPolicy(JSON.parse(new TextDecoder().decode(given.trust)), sha256);
    const verification = await verifyBundle(given.bundle, {
      sha256,
      ...(trust && { trust }),
      ...(given.eml && { eml: given.eml }),
    });
    drawn = drawReport(verification, words);
    out.dataset['valid'] = String(verification.valid);
    out.dataset['copy'] = verification.eml?.verdict ?? '';
  } catch (error) {
    drawn = element(
      'p',
      words.failed(error instanceof EvidenceError ? error.detail : String(error)),
      'verdict bad',
    );
    out.dataset['valid'] = 'false';
  }
  if (mine === run) out.replaceChildren(drawn);
}

/** Which slot a dropped file is for: by its name, and a ZIP by its first bytes. */
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
    // The field that a file was chosen in says its name itself.
    byId(`${at}-name`).textContent = slot === undefined ? file.name : '';
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
for (const node of document.querySelectorAll<HTMLElement>('[data-language]')) {
  node.addEventListener('click', () => {
    language = node.dataset['language'] as Language;
    speak();
    void verify();
  });
}
speak();

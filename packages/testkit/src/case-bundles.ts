import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Bundles of a corpus that contradict themselves or hide something (cases/bundles, read in place), and what
 * every verifier must say of them; sdks/conformance/run/differential.mjs asks all others about this table.
 */
export interface CaseBundle {
  readonly file: string;
  /** Without a policy of the reader's own. */
  readonly verdict: 'unproven' | 'rejected';
  /** The first check that fails. */
  readonly failed: string | null;
  /** The verdict for a reader who pins its keys, and its authority as a real one. */
  readonly pinned?: 'incomplete';
}

const corpora =
  process.env['ACUSE_CORPORA'] ?? fileURLToPath(new URL('../../../../shared/corpora', import.meta.url));
const folder = `${corpora}/cases/bundles`;

/** False: say "skipped without ACUSE_CORPORA". */
export const hasCaseBundles = existsSync(folder);

const table: { now: string; cases: CaseBundle[] } = JSON.parse(
  readFileSync(new URL('case-bundles.json', import.meta.url), 'utf8'),
);

/** The reader's clock. */
export const CASES_READ_AT = new Date(table.now);

export const caseBundles: readonly (CaseBundle & { readonly path: string })[] = table.cases.map((each) => ({
  ...each,
  path: `${folder}/${each.file}`,
}));

/**
 * The one error this package throws: `check` names the verification step that refused (as in a verification
 * report), `detail` says why in a sentence fit for a report.
 */
export class EvidenceError extends Error {
  readonly check: string;
  readonly detail: string;

  constructor(check: string, detail: string, options?: { cause?: unknown }) {
    super(`${check}: ${detail}`, options);
    this.name = 'EvidenceError';
    this.check = check;
    this.detail = detail;
  }
}

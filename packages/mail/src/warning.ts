/**
 * Requests of a submitted message that were not met, or met by a guess; the message was taken all the same.
 */
export type MailWarning = {
  /** A stable word. */
  readonly code: 'header_dropped' | 'charset_guessed' | 'name_changed' | 'codes_not_sent';
  /** Where: a field of the header, or a part of the message. */
  readonly field: string;
  /** The change, and how to avoid it. */
  readonly message: string;
};

/** Most warnings for one message: more would not help its sender. Ours. */
export const WARNINGS_MAX = 50;

/** Gathers each once, in the order found. */
export type Warnings = { readonly found: MailWarning[]; add(warning: MailWarning): void };

export function createWarnings(): Warnings {
  const found: MailWarning[] = [];
  return {
    found,
    add(warning) {
      const known = found.some(({ message }) => message === warning.message);
      if (!known && found.length < WARNINGS_MAX) found.push(warning);
    },
  };
}

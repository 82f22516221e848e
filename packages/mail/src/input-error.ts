/** Kinds of refused input: a bad address, a bad body, or too much of it. */
export type InputFault = 'address' | 'body' | 'size';

/**
 * A value from outside that mail cannot be made of; the message names the fix.
 * `field` is the path of the value (`from`, `attachments[2].filename`), `reason` a stable snake_case word.
 */
export class MailInputError extends Error {
  readonly about: InputFault;
  readonly field: string;
  readonly reason: string;

  constructor(about: InputFault, field: string, reason: string, message: string) {
    super(`${field}: ${message}`);
    this.name = 'MailInputError';
    this.about = about;
    this.field = field;
    this.reason = reason;
  }
}

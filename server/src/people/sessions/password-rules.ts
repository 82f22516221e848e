import { apiError } from '../../errors.ts';

/**
 * A password is long, and not one that everybody tries first. No rules of composition: they make passwords
 * weaker and people angry (NIST SP 800-63B, "Memorized Secret Verifiers").
 */
const PASSWORD_MIN_CHARS = 12;
export const PASSWORD_MAX_CHARS = 256;

/**
 * Throws weak_password. `own`: words that an attacker knows of this person, such as the address.
 */
export async function assertStrong(password: string, own: readonly string[] = []): Promise<void> {
  const chars = [...password].length;
  if (chars < PASSWORD_MIN_CHARS)
    throw apiError(
      'weak_password',
      `The password has ${chars} characters: use at least ${PASSWORD_MIN_CHARS}.`,
    );
  if (chars > PASSWORD_MAX_CHARS)
    throw apiError(
      'weak_password',
      `The password has ${chars} characters: use at most ${PASSWORD_MAX_CHARS}.`,
    );
  const common = await commonPasswords();
  for (const guess of guessesOf(password))
    if (common.has(guess) || isOwn(guess, own))
      throw apiError(
        'weak_password',
        'This password is easy to guess: it is a common one, your address, or one of them with digits added. Use several unrelated words.',
      );
  if (isRepetition(password))
    throw apiError(
      'weak_password',
      'This password repeats a few characters: use several unrelated words instead.',
    );
}

/** Base words of a guess: the word itself, and it without its suffix. */
function* guessesOf(password: string): Generator<string> {
  const lower = password.toLowerCase();
  yield lower;
  yield withoutEnds(lower);
}

/** Without the digits, signs and spaces at both ends; by index, because an expression would look back. */
function withoutEnds(text: string): string {
  const isLetter = (at: number) => /\p{L}/u.test(text[at]!);
  let from = 0;
  let to = text.length;
  while (from < to && !isLetter(from)) from++;
  while (to > from && !isLetter(to - 1)) to--;
  return text.slice(from, to);
}

function isOwn(guess: string, own: readonly string[]): boolean {
  return own.some((text) => {
    const lower = text.toLowerCase();
    return guess === lower || guess === withoutEnds(lower) || guess === lower.split('@', 1)[0];
  });
}

/** Units of this many characters or fewer, repeated to the end, make no password. */
const REPEATED_MAX_CHARS = 4;

function isRepetition(password: string): boolean {
  for (let size = 1; size <= REPEATED_MAX_CHARS; size++) {
    const unit = password.slice(0, size);
    if (unit.repeat(Math.ceil(password.length / size)).startsWith(password)) return true;
  }
  return false;
}

let loaded: Promise<ReadonlySet<string>> | undefined;

/** Some 49 000, of all lengths; read when the first password is set, because few processes need them. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return loaded;
}

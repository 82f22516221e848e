/** Name of a time-stamp's check, without the step. */
const wholeOf = (name) => `${name}`.replace(/(timestamp|renewal\.\d\d)(?:_chain|\..*)$/, '$1');

/**
 * True if two verifiers name the same check: one may tell a step of a time-stamp, its chain's too, where
 * another tells another or the whole of it, and an outcome's where another tells a part of it.
 */
export function isOneCheck(one, other) {
  const [a, b] = [wholeOf(one), wholeOf(other)];
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

/** The commands of VERIFY.md for one time-stamp. */
import * as shell from './shell.ts';
import type { StampGuide } from './verify-md-guide.ts';

export const unixSeconds = (time: string) => Math.floor(Date.parse(time) / 1000);

/**
 * `renewed`: the bundle is so old that chains have ended, and this one need not hold today. `next`: when a
 * renewal took over from this very time-stamp; its chain must have held until then. RFC 3339. `needs`: the
 * bundle's file that the data comes from.
 */
export function stampBlocks(
  stamp: StampGuide,
  data: string,
  {
    renewed,
    next,
    hash = 'sha256',
    needs = data,
  }: { renewed: boolean; next?: string; hash?: 'sha256' | 'sha512'; needs?: string },
): string {
  const at = (time: string) => shell.timeStamp({ ...stamp, attime: unixSeconds(time) }, data, hash);
  const block = (...commands: string[]) =>
    shell.block(shell.step([stamp.token, stamp.chain, needs], shell.pinRoot(stamp), ...commands));
  const today = stamp.profile === 'nom151' || renewed ? [] : [shell.holdsToday(stamp, data)];
  const own = block(at(stamp.genTime), ...today);
  return next === undefined
    ? own
    : `${own}\nWhen it was renewed, its chain was still valid:\n${block(at(next))}`;
}

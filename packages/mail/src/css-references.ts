/** Addresses that a style sheet has fetched: `url(…)` and `@import`. CSS Values 4, "url()" */

/** Characters of an address that are read. */
const LOOKED_AT_CHARS = 2_048;
/** Places in one style sheet that are read. */
const LOOKS_MAX = 2_000;
const QUOTED_OR_BARE = /^\s*(?:"([^"]*)"|'([^']*)'|([^\s"'();]+))/;

export function readCss(css: string, found: (url: string) => void): void {
  const text = css.toLowerCase();
  let looks = 0;
  for (const mark of ['url(', '@import']) {
    for (let at = text.indexOf(mark); at >= 0 && looks < LOOKS_MAX; at = text.indexOf(mark, at + 1)) {
      looks++;
      const start = at + mark.length;
      const match = QUOTED_OR_BARE.exec(css.slice(start, start + LOOKED_AT_CHARS));
      const url = match?.[1] ?? match?.[2] ?? match?.[3] ?? '';
      // `@import url(…)` is found as the other.
      if (url !== '' && url.toLowerCase() !== 'url') found(url);
    }
  }
}

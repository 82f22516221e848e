/**
 * Text that somebody else wrote, as it may be shown: characters that turn a line around or hide a part of it
 * become visible. Those that join letters and emoji stay.
 */

const SHOWN_AS = '\ufffd';
/** Cc, Cf, line and paragraph separators, and whatever else draws nothing. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Emoji of several code points: joined, with a presentation, a skin tone or the tags of a flag. */
const EMOJI =
  /\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier}|[\u{e0020}-\u{e007f}])*(?:\u200d\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})*)*|[0-9#*]\ufe0f?\u20e3/gu;
/** A joiner behind a letter of Arabic, Indic and other scripts that are written with them. */
const JOINED = /(?<=[\u0600-\u07ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af])[\u200c\u200d]/g;

/** The text with each unseen character shown as U+FFFD. Line breaks and tabs become spaces. */
export function visible(text: string): string {
  const kept = new Set<number>();
  for (const { index, 0: emoji } of text.matchAll(EMOJI))
    for (let at = index; at < index + emoji.length; at++) kept.add(at);
  for (const { index } of text.matchAll(JOINED)) kept.add(index);
  return text.replace(UNSEEN, (unseen: string, at: number) => {
    if (kept.has(at)) return unseen;
    return /[\t\n\r]/.test(unseen) ? ' ' : SHOWN_AS;
  });
}

/** `visible`, or `none` for a text in which there is nothing to see. */
export function shownText(text: string | null | undefined, none: string): string {
  if (text === null || text === undefined) return none;
  return text.replace(UNSEEN, '').trim() === '' ? none : visible(text);
}

export interface DecodedText {
  readonly text: string;
  /** It is not UTF-8, and what it is nobody said: read as most mail that does not say is. */
  readonly guessed: boolean;
}

/**
 * The start of a part as text. The server hands out text in UTF-8 wherever it knows the charset that a part
 * names; what comes as anything else names none, or one that nobody knows. A cut may go through the last
 * character.
 */
export function decodeText(bytes: ArrayBuffer): DecodedText {
  const text = new TextDecoder().decode(bytes);
  if (!text.slice(0, -1).includes('\ufffd')) return { text, guessed: false };
  return { text: new TextDecoder('windows-1252').decode(bytes), guessed: true };
}

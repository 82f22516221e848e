/** The host of a URL, which is what people have at hand to paste; else the text as it is. */
export function hostOf(text: string): string {
  if (!text.includes('/')) return text;
  const address = text.includes('://') ? text : `https://${text}`;
  return URL.canParse(address) ? new URL(address).hostname || text : text;
}

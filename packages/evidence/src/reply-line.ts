export interface ReplyParts {
  readonly code: number | null;
  readonly enhanced: string | null;
  readonly text: string | null;
}

/** A server's answer on one line. A report's text (Diagnostic-Code, RFC 3464 §2.3.6) repeats the codes. */
export function replyLine({ code, enhanced, text }: ReplyParts): string {
  const said = text ?? '';
  if (code !== null && said.startsWith(`${code} `)) return said;
  const words = [code, enhanced === null || said.startsWith(`${enhanced} `) ? null : enhanced, said];
  return words.filter((word) => word !== null && word !== '').join(' ');
}

import { type CustomHeader, createCustomHeaders } from '@acuse/mail/custom-headers';

/**
 * A read receipt that the sender asked for also comes to us. Programs ask their reader before they send one
 * to anybody but the return path, so that a second address costs none. RFC 8098 §2.1
 */
export function withReceiptAddress(
  headers: readonly CustomHeader[],
  host: string | null,
): readonly CustomHeader[] {
  if (host === null) return headers;
  return headers.map((header) => {
    if (header.name.toLowerCase() !== 'disposition-notification-to') return header;
    try {
      return createCustomHeaders([[header.name, `${header.value}, receipt@${host}`]])[0]!;
    } catch {
      // As long as a header may be: it goes as it came.
      return header;
    }
  });
}

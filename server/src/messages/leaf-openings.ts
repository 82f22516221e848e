/**
 * What is kept beside a message's manifest to open its commitments: the secret that its salts come from and the MAIL FROM,
 * which is stored nowhere else and could not be made again once the return path's key or domain has changed.
 */
export interface MessageLeafOpenings {
  /** 32 bytes. */
  readonly secret: Uint8Array;
  readonly mailFrom: string;
}

/** Size of the secret (bytes). */
export const LEAF_SECRET_BYTES = 32;

/** secret ‖ MAIL FROM in UTF-8. */
export function encodeLeafOpenings({ secret, mailFrom }: MessageLeafOpenings): Uint8Array {
  return Buffer.concat([secret, Buffer.from(mailFrom, 'utf8')]);
}

export function decodeLeafOpenings(bytes: Uint8Array): MessageLeafOpenings {
  if (bytes.length < LEAF_SECRET_BYTES) throw new Error(`leaf openings of ${bytes.length} bytes`);
  const secret = bytes.subarray(0, LEAF_SECRET_BYTES);
  return { secret, mailFrom: Buffer.from(bytes.subarray(LEAF_SECRET_BYTES)).toString('utf8') };
}

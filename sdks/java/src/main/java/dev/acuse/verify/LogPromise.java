package dev.acuse.verify;

import dev.acuse.LogException;

/**
 * A log's promise to hold an entry by some time.
 *
 * @param canonicalHash of the message, hex
 * @param deadline Unix seconds
 */
public record LogPromise(String canonicalHash, long deadline) {
  /**
   * Reads a promise.
   *
   * @param note as a message has it
   * @param pinnedKey the log's verifier key
   * @return what was promised
   * @throws LogException {@code bad_signature}
   */
  public static LogPromise open(String note, String pinnedKey) {
    Key key = LogCheckpoint.key(pinnedKey);
    try {
      Note read = Note.parse(note);
      read.assertSigned(key);
      String[] lines = read.text().split("\n", -1);
      boolean formed =
          lines.length == 5
              && lines[0].equals("acuse/promise/v1")
              && lines[1].equals(key.name())
              && lines[3].matches("0|[1-9]\\d{0,15}");
      byte[] hash = formed ? Bytes.base64(lines[2]) : null;
      Refused.unless(hash != null && hash.length == 32, "not a promise of this log");
      return new LogPromise(Bytes.hex(hash), Long.parseLong(lines[3]));
    } catch (Refused refused) {
      throw new LogException(
          "bad_signature", "The promise is not signed by the key: " + refused.getMessage());
    }
  }
}

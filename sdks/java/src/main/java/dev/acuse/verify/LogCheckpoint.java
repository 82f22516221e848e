package dev.acuse.verify;

import dev.acuse.ConfigurationException;
import dev.acuse.LogException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The log at some size, as its key signed it. Keep {@code note} to follow the log from here.
 *
 * @param origin of the log
 * @param size how many entries it has
 * @param rootHash of its tree, base64
 * @param note the signed text as the log gave it
 * @param key the verifier key that signed it
 */
public record LogCheckpoint(String origin, long size, String rootHash, String note, String key) {
  /** Spaces, tabs and line ends around a key are no part of it. */
  private static final Pattern LINE = Pattern.compile("[ \t\r\n]*([^ \t\r\n]+)[ \t\r\n]*");

  /**
   * Reads a checkpoint.
   *
   * @param note as the log gave it
   * @param pinnedKey the log's verifier key, from elsewhere than the log
   * @return a checkpoint
   * @throws LogException {@code bad_signature}
   * @throws ConfigurationException for a key that cannot be one
   */
  public static LogCheckpoint open(String note, String pinnedKey) {
    Key key = key(pinnedKey);
    try {
      Note read = Note.parse(note);
      read.assertSigned(key);
      Proof.Checkpoint said = Proof.checkpoint(read.text());
      Refused.unless(said.origin().equals(key.name()), "of another log");
      String root = Base64.getEncoder().encodeToString(said.root());
      return new LogCheckpoint(said.origin(), said.size(), root, note, alone(pinnedKey));
    } catch (Refused refused) {
      throw new LogException(
          "bad_signature", "The checkpoint is not signed by the key: " + refused.getMessage());
    }
  }

  /**
   * Looks at a key alone.
   *
   * @param pinnedKey the log's verifier key
   * @throws ConfigurationException for a key that cannot be one
   */
  public static void requireKey(String pinnedKey) {
    key(pinnedKey);
  }

  static Key key(String pinnedKey) {
    try {
      return Key.parse(alone(pinnedKey), Key.LOG);
    } catch (Refused refused) {
      throw new ConfigurationException(
          "The pinned key must be the log's, name+id+base64: " + refused.getMessage());
    }
  }

  private static String alone(String pinnedKey) {
    Matcher line = LINE.matcher(pinnedKey);
    return line.matches() ? line.group(1) : "";
  }

  byte[] root() {
    return Base64.getDecoder().decode(rootHash);
  }
}

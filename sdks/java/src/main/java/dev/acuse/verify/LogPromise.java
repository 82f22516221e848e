package dev.acuse.verify;

import dev.acuse.LogException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A log's promise to hold an entry by some time.
 *
 * @param canonicalHash of the message, hex
 * @param deadline Unix seconds
 */
public record LogPromise(String canonicalHash, long deadline) {
  private static final String GROUP_HEADER = "acuse/promise/v2\n";
  private static final long MAX_GROUP = 65_536;
  private static final Pattern ONE =
      Pattern.compile("acuse/promise/v1\n([^\n]+)\n([^\n]+)\n([1-9][0-9]{0,11})\n");
  private static final Pattern GROUP_PROOF =
      Pattern.compile(
          "acuse/promise/v2\nentry ([^\n]+)\nindex (0|[1-9][0-9]{0,4})((?:\n[^\n]+){1,16})");
  private static final Pattern GROUP_TEXT =
      Pattern.compile(
          "acuse/promise-group/v1\n([^\n]+)\n([1-9][0-9]{0,4})\n([^\n]+)\n([1-9][0-9]{0,11})\n");

  /**
   * Reads a promise, of one entry or of a group's.
   *
   * @param note as a message has it
   * @param pinnedKey the log's verifier key
   * @return what was promised
   * @throws LogException {@code bad_signature}
   */
  public static LogPromise open(String note, String pinnedKey) {
    Key key = LogCheckpoint.key(pinnedKey);
    try {
      return note.startsWith(GROUP_HEADER) ? ofGroup(note, key) : ofOne(Note.parse(note), key);
    } catch (Refused refused) {
      throw new LogException(
          "bad_signature", "The promise is not signed by the key: " + refused.getMessage());
    }
  }

  private static LogPromise ofOne(Note note, Key key) {
    Matcher one = matched(ONE, note.text());
    assertOfLog(note, one.group(1), key);
    return new LogPromise(Bytes.hex(hash(one.group(2))), Long.parseLong(one.group(3)));
  }

  private static LogPromise ofGroup(String text, Key key) {
    int split = text.indexOf("\n\n");
    Matcher proof = matched(GROUP_PROOF, text.substring(0, Math.max(split, 0)));
    List<byte[]> path = new ArrayList<>();
    for (String line : proof.group(3).substring(1).split("\n", -1)) {
      path.add(hash(line));
    }
    Note note = Note.parse(text.substring(split + 2));
    Matcher group = matched(GROUP_TEXT, note.text());
    assertOfLog(note, group.group(1), key);
    long size = Long.parseLong(group.group(2));
    Refused.unless(size >= 2 && size <= MAX_GROUP, "not the size of a group");
    byte[] canonicalHash = hash(proof.group(1));
    Proof.Checkpoint tree = new Proof.Checkpoint(group.group(1), size, hash(group.group(3)));
    new Proof(Long.parseLong(proof.group(2)), path, "")
        .assertIncluded(Bytes.concat(Bytes.utf8(GROUP_HEADER), canonicalHash), tree);
    return new LogPromise(Bytes.hex(canonicalHash), Long.parseLong(group.group(4)));
  }

  private static Matcher matched(Pattern form, String text) {
    Matcher matcher = form.matcher(text);
    Refused.unless(matcher.matches(), "not a promise of this log");
    return matcher;
  }

  private static void assertOfLog(Note note, String origin, Key key) {
    Refused.unless(origin.equals(key.name()), "a promise of another log");
    note.assertSigned(key);
  }

  private static byte[] hash(String line) {
    byte[] hash = Bytes.base64(line);
    Refused.unless(hash != null && hash.length == 32, "a line is not a hash");
    return hash;
  }
}

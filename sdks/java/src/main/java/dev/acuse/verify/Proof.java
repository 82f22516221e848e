package dev.acuse.verify;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** A tlog-proof: an index, a path, and a signed checkpoint. RFC 6962 §2.1, C2SP tlog-proof */
record Proof(long index, List<byte[]> path, String note) {
  private static final Pattern NUMBER = Pattern.compile("0|[1-9]\\d{0,15}");
  private static final int MAX_PATH = 63;
  private static final int MAX_BYTES = 320 * 1024;

  /** The content of a checkpoint's three lines. */
  record Checkpoint(String origin, long size, byte[] root) {}

  static Proof parse(byte[] bytes) {
    String text = bytes.length > MAX_BYTES ? null : Bytes.text(bytes);
    Refused.unless(text != null, "the proof is not UTF-8, or too large");
    int split = text.indexOf("\n\n");
    Refused.unless(split >= 0, "the proof has no checkpoint");
    List<String> lines = Arrays.asList(text.substring(0, split).split("\n", -1));
    boolean formed = lines.size() >= 2 && lines.get(0).equals("c2sp.org/tlog-proof@v1");
    Refused.unless(formed && lines.get(1).startsWith("index "), "the proof has another form");
    long index = number(lines.get(1).substring(6));
    Refused.unless(lines.size() - 2 <= MAX_PATH, "the path is too long");
    List<byte[]> path = new ArrayList<>();
    for (String line : lines.subList(2, lines.size())) {
      path.add(hash(line));
    }
    return new Proof(index, path, text.substring(split + 2));
  }

  private static long number(String text) {
    Refused.unless(NUMBER.matcher(text).matches(), "not a number");
    long value = Long.parseLong(text);
    Refused.unless(value < 1L << 53, "a number is too large");
    return value;
  }

  static byte[] hash(String line) {
    byte[] hash = Bytes.base64(line);
    Refused.unless(hash != null && hash.length == 32, "a line is not a hash");
    return hash;
  }

  static Checkpoint checkpoint(String text) {
    Refused.unless(text.endsWith("\n"), "the checkpoint does not end in a newline");
    String[] lines = text.substring(0, text.length() - 1).split("\n", -1);
    boolean whole = lines.length >= 3 && !Arrays.asList(lines).contains("");
    Refused.unless(whole, "the checkpoint is not three or more lines");
    return new Checkpoint(lines[0], number(lines[1]), hash(lines[2]));
  }

  /** Throws unless the path leads from the leaf to the root. RFC 6962 §2.1.1 */
  void assertIncluded(byte[] canonicalHash, Checkpoint checkpoint) {
    Refused.unless(index < checkpoint.size, "the index is not in the tree");
    long position = index;
    long last = checkpoint.size - 1;
    byte[] node = Bytes.sha256(new byte[] {0}, canonicalHash);
    for (byte[] sibling : path) {
      Refused.unless(last != 0, "the path is too long");
      if ((position & 1) == 1 || position == last) {
        node = Bytes.sha256(new byte[] {1}, sibling, node);
        while ((position & 1) == 0 && position != 0) {
          position >>= 1;
          last >>= 1;
        }
      } else {
        node = Bytes.sha256(new byte[] {1}, node, sibling);
      }
      position >>= 1;
      last >>= 1;
    }
    Refused.unless(last == 0, "the path is too short");
    Refused.unless(Bytes.equal(node, checkpoint.root), "the path leads to another root");
  }
}

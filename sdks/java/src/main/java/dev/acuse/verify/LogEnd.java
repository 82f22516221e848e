package dev.acuse.verify;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The end of a log that cannot go on, signed by it and by the log that does. */
record LogEnd(Tree kept, Tree published, Instant endedAt, Key successor) {
  private static final String HEADER = "acuse/log-end/v1";
  private static final int MAX_REASON = 1000;
  private static final Pattern TREE = Pattern.compile("(0|[1-9]\\d{0,15}) (\\S+)");

  record Tree(long size, byte[] root) {
    private static Tree parse(String line) {
      Matcher found = TREE.matcher(line);
      Refused.unless(found.matches(), "a size and its root are malformed");
      long size = Long.parseLong(found.group(1));
      byte[] root = Bytes.base64(found.group(2));
      boolean sound = size < 1L << 53 && root != null && root.length == 32;
      Refused.unless(sound, "a size and its root are malformed");
      return new Tree(size, root);
    }
  }

  /** Throws unless the statement is of this key's log and both have signed it. */
  static LogEnd open(byte[] bytes, Key log) {
    String content = Bytes.text(bytes);
    Refused.unless(content != null, "log-end.note is not UTF-8");
    Note note = Note.parse(content);
    String[] lines = note.text().split("\n", -1);
    boolean formed = lines.length == 8 && lines[7].isEmpty() && lines[0].equals(HEADER);
    Refused.unless(formed, "not the end of a log");
    Refused.unless(lines[1].equals(log.name()), "of another log");
    Instant endedAt = Window.time(lines[4]);
    int length = lines[6].codePointCount(0, lines[6].length());
    boolean reasoned = length > 0 && length <= MAX_REASON;
    Refused.unless(reasoned, "the reason has not 1 to " + MAX_REASON + " characters");
    Key successor = Key.parse(lines[5], Key.LOG);
    note.assertSigned(log);
    note.assertSigned(successor);
    Refused.unless(!successor.name().equals(log.name()), "a log does not follow itself");
    return new LogEnd(Tree.parse(lines[2]), Tree.parse(lines[3]), endedAt, successor);
  }

  /** Throws for a tree that the log cannot have published before its end. */
  void assertWithin(Proof.Checkpoint tree) {
    boolean published = tree.size() <= Math.max(kept.size, this.published.size);
    Refused.unless(published, "in a tree that is larger than what the log had published");
    List<Tree> same =
        List.of(kept, this.published).stream().filter(each -> each.size == tree.size()).toList();
    boolean known =
        same.isEmpty() || same.stream().anyMatch(each -> Bytes.equal(each.root, tree.root()));
    Refused.unless(known, "in another tree than the log had when it ended");
  }

  /** What a log holds came to it before it ended: throws for a time that is later by more. */
  void assertAfter(Instant time, Duration tolerance) {
    boolean before = !time.isAfter(endedAt.plus(tolerance));
    Refused.unless(before, "at " + time + ", yet the log ended at " + endedAt);
  }
}

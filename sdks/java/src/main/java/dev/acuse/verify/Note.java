package dev.acuse.verify;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A signed note: a text and the signature lines below it. C2SP signed-note */
record Note(String text, List<Line> signatures) {
  private static final int MAX_BYTES = 256 * 1024;
  private static final int MAX_SIGNATURES = 100;
  private static final int MLDSA44_BYTES = 2420;
  private static final String DASH = "\u2014 ";

  record Line(String name, byte[] id, byte[] signature) {
    boolean isBy(Key key) {
      return name.equals(key.name()) && Bytes.equal(id, key.id());
    }
  }

  static Note parse(String content) {
    Refused.unless(Bytes.utf8(content).length <= MAX_BYTES, "the note is too large");
    boolean plain = content.chars().allMatch(c -> c >= 0x20 || c == '\n');
    Refused.unless(plain, "the note has control characters");
    int split = content.lastIndexOf("\n\n");
    Refused.unless(split >= 0 && content.endsWith("\n"), "the note has no signatures");
    String below = content.substring(split + 2);
    Refused.unless(!below.isEmpty(), "the note has no signatures");
    String[] lines = below.substring(0, below.length() - 1).split("\n", -1);
    Refused.unless(lines.length <= MAX_SIGNATURES, "the note has too many signatures");
    List<Line> signatures = new ArrayList<>();
    for (String line : lines) {
      signatures.add(line(line));
    }
    return new Note(content.substring(0, split + 1), signatures);
  }

  private static Line line(String line) {
    Refused.unless(line.startsWith(DASH), "a signature line is malformed");
    String[] words = line.substring(DASH.length()).split(" ", -1);
    byte[] material = words.length == 2 ? Bytes.base64(words[1]) : null;
    boolean sound = material != null && material.length > 4 && Key.isName(words[0]);
    Refused.unless(sound, "a signature line is malformed");
    return new Line(
        words[0], Arrays.copyOf(material, 4), Arrays.copyOfRange(material, 4, material.length));
  }

  boolean hasSignatureOf(Key key) {
    return signatures.stream().anyMatch(line -> line.isBy(key));
  }

  /**
   * Throws unless the second key of a log signed, once, a text of three lines. Returns when, in
   * seconds. The signature itself is not checked: the JDK has had ML-DSA-44 since version 24.
   */
  long assertSecond(Key key) {
    List<Line> lines = signatures.stream().filter(line -> line.isBy(key)).toList();
    boolean once = lines.size() == 1 && lines.get(0).signature.length == 8 + MLDSA44_BYTES;
    Refused.unless(once, "not signed once by the ML-DSA-44 key of its log");
    boolean covered = text.chars().filter(c -> c == '\n').count() == 3;
    Refused.unless(covered, "extension lines, which ML-DSA-44 signatures do not cover");
    return secondsOf(lines.get(0).signature);
  }

  private static long secondsOf(byte[] signature) {
    long seconds = new java.math.BigInteger(1, Arrays.copyOf(signature, 8)).longValue();
    Refused.unless(seconds >= 0 && seconds < 1L << 53, "a cosignature has no such time");
    return seconds;
  }

  /**
   * Throws unless the key signed, once and truly. A witness signs a time too: in seconds, else 0.
   */
  long assertSigned(Key key) {
    List<Line> lines = signatures.stream().filter(line -> line.isBy(key)).toList();
    Refused.unless(lines.size() == 1, "not signed once by a known key");
    byte[] signature = lines.get(0).signature;
    byte[] message = Bytes.utf8(text);
    long seconds = 0;
    if (key.type() == Key.WITNESS) {
      Refused.unless(signature.length == 72, "a cosignature has another size");
      seconds = secondsOf(signature);
      message = Bytes.utf8("cosignature/v1\ntime " + seconds + "\n" + text);
      signature = Arrays.copyOfRange(signature, 8, 72);
    }
    Refused.unless(key.verifies(signature, message), "a signature does not verify");
    return seconds;
  }
}

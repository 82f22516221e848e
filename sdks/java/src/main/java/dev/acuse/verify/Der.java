package dev.acuse.verify;

import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One element of strict DER: definite minimal lengths, single-octet tags. X.690 §10 */
record Der(int tag, byte[] whole, byte[] content) {
  static final int BOOLEAN = 0x01;
  static final int INTEGER = 0x02;
  static final int BIT_STRING = 0x03;
  static final int OCTET_STRING = 0x04;
  static final int NULL = 0x05;
  static final int OID = 0x06;
  static final int UTC_TIME = 0x17;
  static final int GENERALIZED_TIME = 0x18;
  static final int SEQUENCE = 0x30;
  static final int SET = 0x31;
  private static final int MAX_CHILDREN = 256;
  private static final int MAX_OID = 64;
  private static final Pattern TIME =
      Pattern.compile("(\\d{4})(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(?:\\.(\\d{0,8}[1-9]))?Z");

  static int context(int number) {
    return 0xa0 | number;
  }

  static int primitive(int number) {
    return 0x80 | number;
  }

  /** One element at a place; bytes may follow it. */
  static Der at(byte[] in, int start) {
    Refused.unless(start + 2 <= in.length, "DER ends inside an element");
    int tag = in[start] & 0xff;
    Refused.unless((tag & 0x1f) != 0x1f, "DER has a tag of several octets");
    long length = in[start + 1] & 0xff;
    int head = start + 2;
    if (length > 127) {
      int octets = (int) length - 128;
      Refused.unless(octets > 0 && octets <= 4, "DER has a length that is not definite");
      Refused.unless(head + octets <= in.length, "DER ends inside an element");
      length = 0;
      for (int i = 0; i < octets; i++) {
        length = length << 8 | in[head + i] & 0xff;
      }
      head += octets;
      boolean minimal = length > 127 && length >> 8 * (octets - 1) != 0;
      Refused.unless(minimal, "DER has a length that is not minimal");
    }
    Refused.unless(head + length <= in.length, "DER ends inside an element");
    int end = (int) (head + length);
    return new Der(tag, Arrays.copyOfRange(in, start, end), Arrays.copyOfRange(in, head, end));
  }

  /** The only element. */
  static Der only(byte[] in) {
    Der der = at(in, 0);
    Refused.unless(der.whole.length == in.length, "bytes after the DER");
    return der;
  }

  Der is(int expected) {
    Refused.unless(tag == expected, "DER has another tag than expected");
    return this;
  }

  Der unwrap() {
    return only(content);
  }

  List<Der> children() {
    Refused.unless((tag & 0x20) != 0, "DER is primitive where a list is expected");
    List<Der> out = new ArrayList<>();
    for (int start = 0; start < content.length; ) {
      Refused.unless(out.size() < MAX_CHILDREN, "DER has too many elements");
      Der child = at(content, start);
      out.add(child);
      start += child.whole.length;
    }
    return out;
  }

  Fields fields() {
    return new Fields(is(SEQUENCE).children());
  }

  /** Walks elements in order. */
  static final class Fields {
    private final List<Der> nodes;
    private int at;

    Fields(List<Der> nodes) {
      this.nodes = nodes;
    }

    Der any() {
      Refused.unless(at < nodes.size(), "DER lacks an element");
      return nodes.get(at++);
    }

    Der next(int tag) {
      return any().is(tag);
    }

    Der optional(int... tags) {
      boolean there = at < nodes.size();
      return there && Arrays.stream(tags).anyMatch(tag -> tag == nodes.get(at).tag) ? any() : null;
    }

    Der maybe() {
      return at < nodes.size() ? any() : null;
    }

    void end() {
      Refused.unless(at == nodes.size(), "DER has an unexpected element");
    }
  }

  String oid() {
    is(OID);
    Refused.unless(content.length > 0 && content.length <= MAX_OID, "an OID has no such length");
    StringBuilder out = new StringBuilder();
    BigInteger arc = BigInteger.ZERO;
    boolean begun = false;
    for (byte each : content) {
      Refused.unless(begun || each != (byte) 0x80, "an OID is not minimal");
      arc = arc.shiftLeft(7).or(BigInteger.valueOf(each & 0x7f));
      begun = each < 0;
      if (begun) {
        continue;
      }
      if (out.length() == 0) {
        int root = Math.min(2, arc.min(BigInteger.valueOf(80)).intValue() / 40);
        out.append(root);
        arc = arc.subtract(BigInteger.valueOf(40L * root));
      }
      out.append('.').append(arc);
      arc = BigInteger.ZERO;
    }
    Refused.unless(!begun, "an OID ends inside an arc");
    return out.toString();
  }

  /** The octets of an INTEGER, minimal. */
  byte[] integer() {
    is(INTEGER);
    Refused.unless(content.length > 0, "an INTEGER is empty");
    if (content.length > 1) {
      boolean padded = content[0] == 0 && content[1] >= 0 || content[0] == -1 && content[1] < 0;
      Refused.unless(!padded, "an INTEGER is not minimal");
    }
    return content;
  }

  BigInteger unsigned() {
    BigInteger value = new BigInteger(integer());
    Refused.unless(value.signum() >= 0, "an INTEGER is negative");
    return value;
  }

  int small() {
    BigInteger value = unsigned();
    Refused.unless(value.bitLength() < 32, "an INTEGER is too large");
    return value.intValue();
  }

  boolean bool() {
    is(BOOLEAN);
    Refused.unless(
        content.length == 1 && (content[0] == 0 || content[0] == -1), "a BOOLEAN is not DER");
    return content[0] == -1;
  }

  byte[] bits() {
    is(BIT_STRING);
    Refused.unless(content.length > 0 && content[0] == 0, "a BIT STRING has part octets");
    return Arrays.copyOfRange(content, 1, content.length);
  }

  /** Cut to milliseconds. RFC 5280 §4.1.2.5, RFC 3161 §2.4.2 */
  Instant time() {
    String text = Bytes.latin1(content);
    if (tag == UTC_TIME && text.length() == 13) {
      text = (text.compareTo("50") < 0 ? "20" : "19") + text;
    } else {
      is(GENERALIZED_TIME);
    }
    Matcher time = TIME.matcher(text);
    Refused.unless(time.matches(), "not a UTC time");
    try {
      int[] numbers = new int[6];
      for (int i = 0; i < 6; i++) {
        numbers[i] = Integer.parseInt(time.group(i + 1));
      }
      LocalDateTime at =
          LocalDateTime.of(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
      String fraction = time.group(7) == null ? "" : time.group(7);
      int millis = Integer.parseInt((fraction + "000").substring(0, 3));
      return at.toInstant(ZoneOffset.UTC).plusMillis(millis);
    } catch (DateTimeException none) {
      throw new Refused("no such time");
    }
  }
}

package dev.acuse.verify;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Compares a received copy with what was sealed, section 10 of the evidence format. */
final class Received {
  private static final int MAX_BYTES = 64 << 20;
  private static final int MAX_LINE = 998;

  /** The fields that relays write. The list is closed. */
  private static final Set<String> TRACE =
      Set.of(
          "arc-authentication-results",
          "arc-message-signature",
          "arc-seal",
          "authentication-results",
          "authentication-results-original",
          "delivered-to",
          "delivery-date",
          "dkim-filter",
          "dkim-signature",
          "dmarc-filter",
          "domainkey-signature",
          "envelope-to",
          "old-authentication-results",
          "original-authentication-results",
          "received",
          "received-spf",
          "return-path");

  /** Fields that mail programs show or act upon, although their names begin with X-. */
  private static final Set<String> SHOWN =
      Set.of(
          "x-confirm-reading-to",
          "x-face",
          "x-image-url",
          "x-message-flag",
          "x-msmail-priority",
          "x-original-from",
          "x-originalfrom",
          "x-priority",
          "x-reply-to",
          "x-sender",
          "x-unsent");

  private Received() {}

  static Report.Copy compare(byte[] received, Content content, byte[] sealed) {
    if (content.openings.get("content").equals("erased")) {
      return new Report.Copy("not_comparable", false, false, false);
    }
    if (received.length > MAX_BYTES) {
      return new Report.Copy("differs", false, false, false);
    }
    byte[] message = crlf(received);
    Mime.Split split;
    List<Map<String, Object>> parts;
    try {
      split = Mime.split(message);
      parts = Mime.parts(message);
    } catch (Refused unreadable) {
      return new Report.Copy("differs", false, false, false);
    }
    List<Mime.Field> known = sealed == null ? List.of() : Mime.split(sealed).fields();
    boolean raw = isWhole(message, split.fields(), content.hash("raw"));
    boolean header =
        isSame(Mime.relaxedHeader(split.fields()), content.hash("header"))
            && nothingStrange(split.fields(), known);
    boolean body = isSame(Mime.relaxedBody(split.body()), content.hash("body"));
    boolean each =
        !content.parts.isEmpty() && new HashSet<>(parts).containsAll(content.parts.values());
    boolean partsOnly = content.hash("raw") == null && content.hash("body") == null;
    String verdict = partsOnly && each ? "parts" : "differs";
    verdict = raw || header && body ? "same" : verdict;
    return new Report.Copy(verdict, raw, header && body, each);
  }

  private static boolean isSame(byte[] layer, String hash) {
    return hash != null && Bytes.hex(Bytes.sha256(layer)).equals(hash);
  }

  /** From its first evidence field on it is the sealed message, and before that is trace alone. */
  private static boolean isWhole(byte[] message, List<Mime.Field> fields, String hash) {
    for (Mime.Field field : fields) {
      if (field.is("service-evidence")) {
        return isSame(Arrays.copyOfRange(message, field.start(), message.length), hash);
      }
      if (!isTrace(field)) {
        return false;
      }
    }
    return false;
  }

  private static boolean isTrace(Mime.Field field) {
    String name = field.name().toLowerCase(Locale.ROOT);
    boolean named = TRACE.contains(name) || name.startsWith("x-") && !SHOWN.contains(name);
    return named && isPlain(field);
  }

  /** Every program sees the same field in it. */
  private static boolean isPlain(Mime.Field field) {
    String raw = Bytes.latin1(field.raw());
    boolean named = field.name().matches("[!-9;-~]+") && raw.startsWith(field.name() + ":");
    if (!named) {
      return false;
    }
    for (String line : raw.split("\r\n", -1)) {
      boolean blank = line.chars().allMatch(c -> c == ' ' || c == '\t');
      boolean control = line.chars().anyMatch(c -> c < ' ' && c != '\t' || c == 0x7f);
      if (blank || control || line.length() > MAX_LINE) {
        return false;
      }
    }
    return true;
  }

  /** Each field is covered by the seal, trace, or as often in the sealed message. */
  private static boolean nothingStrange(List<Mime.Field> received, List<Mime.Field> sealed) {
    Map<String, Integer> left = new HashMap<>();
    sealed.forEach(each -> left.merge(Bytes.latin1(Mime.relaxed(each)), 1, Integer::sum));
    for (Mime.Field field : received) {
      boolean plain = isPlain(field);
      boolean covered = plain && Mime.SEALED_FIELDS.contains(field.name().toLowerCase(Locale.ROOT));
      if (isTrace(field) || covered) {
        continue;
      }
      if (!plain || left.merge(Bytes.latin1(Mime.relaxed(field)), -1, Integer::sum) < 0) {
        return false;
      }
    }
    return true;
  }

  /** Every line end, bare ones too, as CRLF. */
  private static byte[] crlf(byte[] message) {
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream(message.length + 64);
    for (int i = 0; i < message.length; i++) {
      if (message[i] != '\r' && message[i] != '\n') {
        out.write(message[i]);
        continue;
      }
      if (message[i] == '\r' && i + 1 < message.length && message[i + 1] == '\n') {
        i++;
      }
      out.write('\r');
      out.write('\n');
    }
    return out.toByteArray();
  }
}

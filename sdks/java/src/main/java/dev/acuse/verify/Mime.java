package dev.acuse.verify;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A message taken apart: header fields, relaxed forms, leaf parts. RFC 5322, RFC 6376, RFC 2046 */
final class Mime {
  private static final int MAX_FIELDS = 2000;
  private static final int MAX_ENTITIES = 128;
  private static final int MAX_NESTING = 20;

  static final List<String> SEALED_FIELDS =
      List.of(
          "from",
          "to",
          "cc",
          "subject",
          "date",
          "message-id",
          "reply-to",
          "in-reply-to",
          "references",
          "mime-version",
          "content-type",
          "content-transfer-encoding",
          "service-evidence");

  /** One field as it is in the message, folds included; start: where it begins. */
  record Field(String name, byte[] raw, int start) {
    boolean is(String lowerCase) {
      return name.toLowerCase(Locale.ROOT).equals(lowerCase);
    }
  }

  /** Header and body. */
  record Split(List<Field> fields, byte[] body) {
    String text(String name) {
      return fields.stream()
          .filter(field -> field.is(name))
          .findFirst()
          .map(field -> MimeHeader.text(field.raw))
          .orElse(null);
    }
  }

  private int entities;
  private final List<Map<String, Object>> parts = new ArrayList<>();

  /** The facts of each leaf part, in document order; null facts where the charset is not known. */
  static List<Map<String, Object>> parts(byte[] message) {
    Mime mime = new Mime();
    mime.collect(message, 0);
    return mime.parts;
  }

  static Split split(byte[] message) {
    List<Field> fields = new ArrayList<>();
    int start = 0;
    while (start < message.length) {
      int end = lineEnd(message, start);
      if (end == start) {
        return new Split(fields, Arrays.copyOfRange(message, start + 2, message.length));
      }
      while (end + 2 < message.length && (message[end + 2] == ' ' || message[end + 2] == '\t')) {
        end = lineEnd(message, end + 2);
      }
      Refused.unless(fields.size() < MAX_FIELDS, "the message has too many header fields");
      byte[] raw = Arrays.copyOfRange(message, start, end);
      String line = Bytes.latin1(raw);
      int colon = Math.max(0, line.indexOf(':'));
      fields.add(new Field(line.substring(0, colon).replaceAll("[ \t]+$", ""), raw, start));
      start = end + 2;
    }
    return new Split(fields, new byte[0]);
  }

  /** Where the next CRLF starts, or the end. */
  private static int lineEnd(byte[] bytes, int from) {
    int at = from;
    while (at < bytes.length
        && !(bytes[at] == '\r' && at + 1 < bytes.length && bytes[at + 1] == '\n')) {
      at++;
    }
    return at;
  }

  /** RFC 6376 §3.4.2, of the sealed fields in their order. */
  static byte[] relaxedHeader(List<Field> fields) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (String name : SEALED_FIELDS) {
      fields.stream().filter(each -> each.is(name)).forEach(each -> out.writeBytes(relaxed(each)));
    }
    return out.toByteArray();
  }

  static byte[] relaxed(Field field) {
    String line = Bytes.latin1(field.raw);
    int colon = line.indexOf(':');
    String name = squeezed(colon < 0 ? line : line.substring(0, colon));
    StringBuilder lower = new StringBuilder();
    name.chars().forEach(c -> lower.append((char) (c >= 'A' && c <= 'Z' ? c + 32 : c)));
    String value = colon < 0 ? "" : ":" + squeezed(line.substring(colon + 1));
    String text = lower + value + "\r\n";
    return text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  private static String squeezed(String text) {
    String single = text.replace("\r\n", "").replaceAll("[ \t]+", " ");
    return single.replaceAll("^ | $", "");
  }

  /** RFC 6376 §3.4.4 */
  static byte[] relaxedBody(byte[] body) {
    byte[] out = new byte[body.length + 2];
    int at = 0;
    int ends = 0;
    boolean space = false;
    for (int i = 0; i < body.length; i++) {
      byte each = body[i];
      if (each == ' ' || each == '\t') {
        space = true;
      } else if (each == '\r' && i + 1 < body.length && body[i + 1] == '\n') {
        ends++;
        space = false;
        i++;
      } else {
        for (; ends > 0; ends--) {
          out[at++] = '\r';
          out[at++] = '\n';
        }
        if (space) {
          out[at++] = ' ';
        }
        space = false;
        out[at++] = each;
      }
    }
    if (at == 0) {
      return new byte[0];
    }
    out[at++] = '\r';
    out[at++] = '\n';
    return Arrays.copyOf(out, at);
  }

  private void collect(byte[] entity, int depth) {
    Refused.unless(++entities <= MAX_ENTITIES, "the message has too many parts");
    Split split = split(entity);
    String stated = split.text("content-type");
    MimeHeader type = MimeHeader.parse(stated == null ? "text/plain" : stated);
    if (!type.value.matches("[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")) {
      type = MimeHeader.parse("text/plain");
    }
    String boundary = type.value.startsWith("multipart/") ? type.parameters.get("boundary") : null;
    if (boundary == null || boundary.isEmpty()) {
      parts.add(leaf(split, type));
      return;
    }
    Refused.unless(depth < MAX_NESTING, "the message is nested too deeply");
    for (byte[] child : children(split.body, Bytes.utf8(boundary))) {
      collect(child, depth + 1);
    }
  }

  /** The text between delimiter lines; without a closing one the last runs to the end. */
  private static List<byte[]> children(byte[] body, byte[] boundary) {
    List<byte[]> out = new ArrayList<>();
    int part = -1;
    for (int line = 0; line < body.length; line = nextLine(body, line)) {
      if (!isDelimiter(body, line, boundary)) {
        continue;
      }
      if (part >= 0) {
        out.add(Arrays.copyOfRange(body, part, Math.max(part, line - 2)));
      }
      Refused.unless(out.size() < MAX_ENTITIES, "the message has too many parts");
      int rest = line + 2 + boundary.length;
      if (rest + 1 < body.length && body[rest] == '-' && body[rest + 1] == '-') {
        return out;
      }
      part = Math.min(body.length, nextLine(body, rest));
    }
    if (part >= 0) {
      out.add(Arrays.copyOfRange(body, part, body.length));
    }
    return out;
  }

  private static int nextLine(byte[] body, int from) {
    int at = from;
    while (at < body.length && body[at] != '\n') {
      at++;
    }
    return at + 1;
  }

  private static boolean isDelimiter(byte[] body, int line, byte[] boundary) {
    int at = line + 2 + boundary.length;
    boolean begins =
        at <= body.length
            && body[line] == '-'
            && body[line + 1] == '-'
            && Arrays.equals(body, line + 2, at, boundary, 0, boundary.length);
    if (!begins) {
      return false;
    }
    if (at + 1 < body.length && body[at] == '-' && body[at + 1] == '-') {
      at += 2;
    }
    while (at < body.length && (body[at] == ' ' || body[at] == '\t')) {
      at++;
    }
    return at >= body.length || body[at] == '\r' || body[at] == '\n';
  }

  private static Map<String, Object> leaf(Split split, MimeHeader type) {
    String stated = split.text("content-disposition");
    MimeHeader disposition = MimeHeader.parse(stated == null ? "" : stated);
    String filename = disposition.parameters.get("filename");
    filename = filename == null ? type.parameters.get("name") : filename;
    String encoding = split.text("content-transfer-encoding");
    byte[] content =
        switch (encoding == null ? "" : encoding.toLowerCase(Locale.ROOT)) {
          case "base64" -> MimeHeader.base64(split.body);
          case "quoted-printable" -> MimeHeader.quotedPrintable(split.body);
          default -> split.body;
        };
    boolean known = !disposition.unknown && !type.unknown;
    if (type.value.startsWith("text/") && filename == null) {
      byte[] text = Charsets.toUtf8(content, type.parameters.getOrDefault("charset", ""));
      known &= text != null;
      content = text != null ? trimmed(text) : content;
    }
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("filename", filename == null ? null : wellFormed(filename));
    facts.put("media_type", type.value);
    facts.put("sha256", known ? Bytes.hex(Bytes.sha256(content)) : null);
    facts.put("size", known ? (Object) (long) content.length : null);
    return facts;
  }

  private static String wellFormed(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .forEach(point -> out.appendCodePoint(point >= 0xd800 && point < 0xe000 ? 0xfffd : point));
    return out.toString();
  }

  /** LF for CRLF and CR, no space or tab before one, no white space at the end. */
  private static byte[] trimmed(byte[] text) {
    byte[] out = new byte[text.length];
    int at = 0;
    int solid = 0;
    for (int i = 0; i < text.length; i++) {
      byte each = text[i];
      if (each == '\r' || each == '\n') {
        if (each == '\r' && i + 1 < text.length && text[i + 1] == '\n') {
          i++;
        }
        while (at > solid && out[at - 1] != '\n') {
          at--;
        }
        out[at++] = '\n';
      } else {
        out[at++] = each;
        if (each != ' ' && each != '\t') {
          solid = at;
        }
      }
    }
    return Arrays.copyOf(out, solid);
  }
}

package dev.acuse.verify;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A value with parameters, read as a mail program shows it. RFC 2045 §5, RFC 2047, RFC 2231 */
final class MimeHeader {
  private static final int MAX_CHARS = 8192;
  private static final Pattern TOKENS =
      Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"?|\\([^()]*\\)|[;=]|[^\\s;=\"()]+");
  private static final Pattern ENCODED =
      Pattern.compile("=\\?([^?*\\s]+)(?:\\*[^?\\s]*)?\\?([BbQq])\\?([^?\\s]*)\\?=");
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  final String value;
  final Map<String, String> parameters = new LinkedHashMap<>();

  /** A parameter is in a charset that is not converted here: its text is not known. */
  boolean unknown;

  private MimeHeader(String value) {
    this.value = value;
  }

  /** Unfolded text of a field after its colon: UTF-8 if it is, Latin-1 if not. */
  static String text(byte[] raw) {
    int colon = Bytes.latin1(raw).indexOf(':');
    int end = Math.min(raw.length, colon + 1 + MAX_CHARS);
    byte[] bytes = java.util.Arrays.copyOfRange(raw, colon + 1, end);
    String text = Bytes.text(bytes);
    return (text == null ? Bytes.latin1(bytes) : text).replace("\r\n", "").strip();
  }

  static MimeHeader parse(String text) {
    List<String> words = new ArrayList<>();
    Matcher tokens = TOKENS.matcher(text);
    while (tokens.find()) {
      if (!tokens.group().startsWith("(")) {
        words.add(tokens.group());
      }
    }
    int end = words.indexOf(";");
    List<String> first = end < 0 ? words : words.subList(0, end);
    MimeHeader out = new MimeHeader(String.join("", first).toLowerCase(Locale.ROOT));
    Map<String, String> raw = new LinkedHashMap<>();
    for (int i = 0; i + 2 < words.size(); i++) {
      if (words.get(i).equals(";") && words.get(i + 2).equals("=")) {
        StringBuilder content = new StringBuilder();
        for (int j = i + 3; j < words.size() && !words.get(j).equals(";"); j++) {
          content.append(unquoted(words.get(j)));
        }
        raw.putIfAbsent(words.get(i + 1).toLowerCase(Locale.ROOT), content.toString());
      }
    }
    out.decode(raw);
    return out;
  }

  private static String unquoted(String word) {
    return word.startsWith("\"")
        ? word.replaceAll("^\"|\"$", "").replaceAll("\\\\(.)", "$1")
        : word;
  }

  /** RFC 2231 §3, §4 */
  private void decode(Map<String, String> raw) {
    Set<String> names = new LinkedHashSet<>();
    raw.keySet().forEach(name -> names.add(name.split("\\*", 2)[0]));
    for (String name : names) {
      if (raw.containsKey(name + "*")) {
        String[] parts = extended(raw.get(name + "*"));
        parameters.put(name, decoded(percent(parts[1]), parts[0]));
      } else if (raw.containsKey(name + "*0") || raw.containsKey(name + "*0*")) {
        parameters.put(name, joined(name, raw));
      } else if (raw.containsKey(name)) {
        parameters.put(name, words(raw.get(name)));
      }
    }
  }

  private String decoded(byte[] bytes, String charset) {
    String text = Charsets.decode(bytes, charset);
    unknown |= text == null;
    return text == null ? "" : text;
  }

  private static String[] extended(String value) {
    int first = value.indexOf('\'');
    int second = first < 0 ? -1 : value.indexOf('\'', first + 1);
    return second < 0
        ? new String[] {"utf-8", value}
        : new String[] {value.substring(0, first), value.substring(second + 1)};
  }

  private String joined(String name, Map<String, String> raw) {
    String charset = "";
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; ; i++) {
      String plain = raw.get(name + "*" + i);
      String extended = raw.get(name + "*" + i + "*");
      if (extended != null) {
        String[] parts = i == 0 ? extended(extended) : new String[] {charset, extended};
        charset = parts[0];
        bytes.writeBytes(percent(parts[1]));
      } else if (plain != null) {
        bytes.writeBytes(Bytes.utf8(plain));
      } else {
        return decoded(bytes.toByteArray(), charset.isEmpty() ? "utf-8" : charset);
      }
    }
  }

  private static byte[] percent(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Matcher pieces = Pattern.compile("%([0-9A-Fa-f]{2})|(?s:.)").matcher(text);
    while (pieces.find()) {
      if (pieces.group(1) != null) {
        out.write(Integer.parseInt(pieces.group(1), 16));
      } else {
        out.writeBytes(Bytes.utf8(pieces.group()));
      }
    }
    return out.toByteArray();
  }

  /** Encoded words; white space between two of them is not shown. RFC 2047 §6 */
  private String words(String text) {
    Matcher encoded = ENCODED.matcher(text.replaceAll("(\\?=)\\s+(?==\\?)", "$1"));
    return encoded.replaceAll(
        word -> {
          byte[] body = Bytes.utf8(word.group(3).replace('_', ' '));
          byte[] bytes =
              word.group(2).equalsIgnoreCase("B")
                  ? base64(Bytes.utf8(word.group(3)))
                  : quotedPrintable(body);
          return Matcher.quoteReplacement(decoded(bytes, word.group(1)));
        });
  }

  /** Everything outside the alphabet is skipped, padding ends it. RFC 2045 §6.8 */
  static byte[] base64(byte[] encoded) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int group = 0;
    int bits = 0;
    for (byte each : encoded) {
      if (each == '=') {
        break;
      }
      int digit = each < 0 ? -1 : ALPHABET.indexOf(each);
      if (digit < 0) {
        continue;
      }
      group = (group << 6 | digit) & 0xffffff;
      bits += 6;
      if (bits >= 8) {
        bits -= 8;
        out.write(group >> bits);
      }
    }
    return out.toByteArray();
  }

  /** A malformed escape stays; white space at line ends is dropped. RFC 2045 §6.7 */
  static byte[] quotedPrintable(byte[] encoded) {
    byte[] out = new byte[encoded.length];
    int at = 0;
    int solid = 0;
    for (int i = 0; i < encoded.length; i++) {
      byte each = encoded[i];
      if (each == ' ' || each == '\t') {
        out[at++] = each;
        continue;
      }
      if (each == '\r' || each == '\n') {
        at = solid;
        out[at++] = each;
      } else if (each == '=') {
        int end = softBreak(encoded, i + 1);
        int high = i + 1 < encoded.length ? digit(encoded[i + 1]) : -1;
        int low = i + 2 < encoded.length ? digit(encoded[i + 2]) : -1;
        if (end > 0) {
          i = end - 1;
        } else if (high >= 0 && low >= 0) {
          out[at++] = (byte) (high * 16 + low);
          i += 2;
        } else {
          out[at++] = each;
        }
      } else {
        out[at++] = each;
      }
      solid = at;
    }
    return java.util.Arrays.copyOf(out, solid);
  }

  private static int digit(byte each) {
    return each < 0 ? -1 : Character.digit(each, 16);
  }

  private static int softBreak(byte[] bytes, int from) {
    int at = from;
    while (at < bytes.length && (bytes[at] == ' ' || bytes[at] == '\t')) {
      at++;
    }
    if (at == bytes.length) {
      return at;
    }
    if (bytes[at] == '\r' && at + 1 < bytes.length && bytes[at + 1] == '\n') {
      return at + 2;
    }
    return bytes[at] == '\n' ? at + 1 : 0;
  }
}

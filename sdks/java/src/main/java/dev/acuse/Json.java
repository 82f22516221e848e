package dev.acuse;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A strict reader and writer of JSON (RFC 8259). Values are {@code Map<String, Object>}, {@code
 * List<Object>}, {@code String}, {@code Boolean}, {@code null}, and for numbers {@code Long} where
 * it fits, else {@code BigInteger} or {@code BigDecimal}. No key occurs twice in one object, no
 * text contains half of a surrogate pair, and nesting is limited.
 */
public final class Json {
  /** Levels of arrays and objects. */
  public static final int MAX_DEPTH = 64;

  /** Characters of one number; what APIs send has fewer than 20. */
  private static final int MAX_NUMBER = 64;

  private final String text;
  private final boolean strict;
  private int at;

  private Json(String text, boolean strict) {
    this.text = text;
    this.strict = strict;
  }

  /**
   * The value of a text.
   *
   * @param text one JSON value, with white space around it at most
   * @return the value
   * @throws IllegalArgumentException for anything that is not strict JSON
   */
  public static Object parse(String text) {
    return parse(text, true);
  }

  /** Where an answer repeats a name, its last value counts, as in other JSON readers. */
  static Object answer(String text) {
    return parse(text, false);
  }

  private static Object parse(String text, boolean strict) {
    Json reader = new Json(text, strict);
    reader.space();
    Object value = reader.value(1);
    reader.space();
    if (reader.at != text.length()) {
      throw reader.refused("unexpected text after the value");
    }
    return value;
  }

  /**
   * The text of a value, without white space.
   *
   * @param value what {@link #parse} returns, or collections of such values
   * @return one JSON value
   * @throws IllegalArgumentException for a value that JSON cannot carry
   */
  public static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out, 1);
    return out.toString();
  }

  private IllegalArgumentException refused(String why) {
    return new IllegalArgumentException("not JSON: " + why + " at character " + at);
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw refused("unexpected end");
    }
    return text.charAt(at);
  }

  private Object value(int depth) {
    if (depth > MAX_DEPTH) {
      throw refused("nested deeper than " + MAX_DEPTH);
    }
    return switch (peek()) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      case 't' -> word("true", Boolean.TRUE);
      case 'f' -> word("false", Boolean.FALSE);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw refused("unknown word");
    }
    at += word.length();
    return value;
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> out = new LinkedHashMap<>();
    at++;
    space();
    if (peek() == '}') {
      at++;
      return out;
    }
    while (true) {
      space();
      if (peek() != '"') {
        throw refused("expected a key");
      }
      String key = string();
      space();
      if (peek() != ':') {
        throw refused("expected a colon");
      }
      at++;
      space();
      if (strict && out.containsKey(key)) {
        throw refused("a key twice in one object");
      }
      out.put(key, value(depth + 1));
      space();
      char next = peek();
      at++;
      if (next == '}') {
        return out;
      }
      if (next != ',') {
        throw refused("expected a comma or a closing brace");
      }
    }
  }

  private List<Object> array(int depth) {
    List<Object> out = new ArrayList<>();
    at++;
    space();
    if (peek() == ']') {
      at++;
      return out;
    }
    while (true) {
      space();
      out.add(value(depth + 1));
      space();
      char next = peek();
      at++;
      if (next == ']') {
        return out;
      }
      if (next != ',') {
        throw refused("expected a comma or a closing bracket");
      }
    }
  }

  private String string() {
    int start = ++at;
    int end = start;
    while (end < text.length() && plain(text.charAt(end))) {
      end++;
    }
    if (end < text.length() && text.charAt(end) == '"') {
      at = end + 1;
      return text.substring(start, end);
    }
    StringBuilder out = new StringBuilder();
    while (true) {
      char c = peek();
      at++;
      if (c == '"') {
        break;
      }
      if (c < 0x20) {
        throw refused("a control character in a text");
      }
      out.append(c == '\\' ? escaped() : c);
    }
    if (!isWellFormed(out)) {
      throw refused("half of a surrogate pair");
    }
    return out.toString();
  }

  private static boolean plain(char c) {
    return c >= 0x20 && c != '"' && c != '\\' && !Character.isSurrogate(c);
  }

  private char escaped() {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unit();
      default -> throw refused("unknown escape");
    };
  }

  private char unit() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      char c = peek();
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw refused("unknown escape");
      }
      value = value * 16 + digit;
      at++;
    }
    return (char) value;
  }

  private Object number() {
    int start = at;
    boolean whole = true;
    if (peek() == '-') {
      at++;
    }
    int first = at;
    int digits = digits();
    if (digits == 0 || (digits > 1 && text.charAt(first) == '0')) {
      throw refused("unexpected character");
    }
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      whole = false;
      if (digits() == 0) {
        throw refused("a number without digits after its point");
      }
    }
    if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
      at++;
      whole = false;
      if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
        at++;
      }
      if (digits() == 0) {
        throw refused("a number without an exponent");
      }
    }
    String number = text.substring(start, at);
    if (number.length() > MAX_NUMBER) {
      throw refused("a number of more than " + MAX_NUMBER + " characters");
    }
    if (!whole) {
      return new BigDecimal(number);
    }
    return number.length() < 19 ? (Object) Long.valueOf(number) : smallest(number);
  }

  private static Object smallest(String number) {
    BigInteger value = new BigInteger(number);
    return value.bitLength() < 64 ? (Object) value.longValue() : value;
  }

  private int digits() {
    int start = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    return at - start;
  }

  /**
   * Can UTF-8 carry this text?
   *
   * @param text any text
   * @return true if no surrogate is alone
   */
  public static boolean isWellFormed(CharSequence text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      boolean pair =
          Character.isHighSurrogate(c)
              && i + 1 < text.length()
              && Character.isLowSurrogate(text.charAt(i + 1));
      if (!pair) {
        return false;
      }
      i++;
    }
    return true;
  }

  private static void write(Object value, StringBuilder out, int depth) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException("nested deeper than " + MAX_DEPTH);
    }
    if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof String text) {
      write(text, out);
    } else if (value instanceof Number number) {
      writeNumber(number, out);
    } else if (value instanceof Map<?, ?> map) {
      String comma = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.append(comma);
        write((String) entry.getKey(), out);
        out.append(':');
        write(entry.getValue(), out, depth + 1);
        comma = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof Iterable<?> list) {
      out.append('[');
      int start = out.length();
      for (Object item : list) {
        if (out.length() > start) {
          out.append(',');
        }
        write(item, out, depth + 1);
      }
      out.append(']');
    } else {
      throw new IllegalArgumentException("JSON has no " + value.getClass().getName());
    }
  }

  private static void writeNumber(Number number, StringBuilder out) {
    if (number instanceof Double || number instanceof Float) {
      double value = number.doubleValue();
      if (!Double.isFinite(value)) {
        throw new IllegalArgumentException("JSON has no number that is not finite");
      }
      boolean whole = value == Math.rint(value) && Math.abs(value) < 1e15;
      out.append(
          whole ? Long.toString((long) value) : new BigDecimal(number.toString()).toString());
      return;
    }
    out.append(number);
  }

  private static void write(String text, StringBuilder out) {
    if (!isWellFormed(text)) {
      throw new IllegalArgumentException("a text has half of a surrogate pair");
    }
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < 0x20) {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}

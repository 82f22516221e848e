package dev.acuse.verify;

import dev.acuse.Json;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Documents whose every field is known, stored as their canonical form (RFC 8785). */
final class Doc {
  static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");
  static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static final Pattern TIME =
      Pattern.compile(
          "(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])"
              + "T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z");
  private static final int MAX_DEPTH = 32;
  private static final long MAX_NUMBER = (1L << 53) - 1;

  private Doc() {}

  /** The value of bytes that are exactly their own canonical form. */
  static Object canonical(byte[] bytes) {
    String text = Bytes.text(bytes);
    Refused.unless(text != null, "not UTF-8");
    Object value;
    try {
      value = Json.parse(text);
    } catch (IllegalArgumentException malformed) {
      throw new Refused("not JSON");
    }
    Refused.unless(write(value).equals(text), "not in canonical form (RFC 8785)");
    return value;
  }

  /** The canonical form. Keys are ordered by their UTF-16 units, as Java orders texts. */
  static String write(Object value) {
    return Json.write(sorted(value, 1));
  }

  private static Object sorted(Object value, int depth) {
    if (value instanceof Map<?, ?> map) {
      Refused.unless(depth <= MAX_DEPTH, "nested too deeply");
      Map<String, Object> out = new TreeMap<>();
      map.forEach((name, each) -> out.put((String) name, sorted(each, depth + 1)));
      return out;
    }
    if (value instanceof List<?> list) {
      Refused.unless(depth <= MAX_DEPTH, "nested too deeply");
      return list.stream().map(each -> sorted(each, depth + 1)).toList();
    }
    if (value instanceof Number number) {
      boolean whole = number instanceof Long;
      Refused.unless(whole && Math.abs(number.longValue()) <= MAX_NUMBER, "not a whole number");
    }
    return value;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value, Set<String> required, Set<String> optional) {
    Refused.unless(value instanceof Map, "an object is missing");
    Map<String, Object> map = (Map<String, Object>) value;
    // A set of the language has another order in each process.
    for (String name : new TreeSet<>(required)) {
      Refused.unless(map.containsKey(name), name + " is missing");
    }
    for (String name : map.keySet()) {
      if (!required.contains(name) && !optional.contains(name)) {
        int shown =
            name.codePointCount(0, name.length()) > 40
                ? name.offsetByCodePoints(0, 40)
                : name.length();
        throw new Refused("the field " + Json.write(name.substring(0, shown)) + " is not known");
      }
    }
    return map;
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(Object value, int max) {
    boolean fits = value instanceof List<?> list && list.size() <= max;
    Refused.unless(fits, "not a list of at most " + max);
    return (List<Object>) value;
  }

  static String text(Object value) {
    Refused.unless(value instanceof String, "not a text");
    return (String) value;
  }

  static String text(Object value, Pattern shape) {
    Refused.unless(shape.matcher(text(value)).matches(), "a field is malformed");
    return text(value);
  }

  static String hex(Object value) {
    return text(value, HEX);
  }

  static String oneOf(Object value, String... allowed) {
    Refused.unless(List.of(allowed).contains(text(value)), "a field has an unknown value");
    return text(value);
  }

  static long whole(Object value) {
    Refused.unless(value instanceof Long number && number >= 0, "not a whole number");
    return (Long) value;
  }

  static void nullableText(Object value) {
    if (value != null) {
      text(value);
    }
  }

  /** Throws unless the salt and the content's hash make the commitment. */
  static void opens(Object salt, Object hash, String commitment) {
    byte[] made = Bytes.sha256(Bytes.fromHex(hex(salt)), Bytes.fromHex(hex(hash)));
    Refused.unless(Bytes.hex(made).equals(commitment), "an opening does not open its commitment");
  }
}

package dev.acuse.shim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON values of the protocol. */
final class Values {
  private Values() {}

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return value == null ? Map.of() : (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(Object value) {
    return value == null ? List.of() : (List<Object>) value;
  }

  static long number(Map<String, Object> object, String name, long otherwise) {
    return object.get(name) instanceof Number number ? number.longValue() : otherwise;
  }

  static Map<String, Object> map(Object... pairs) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      out.put((String) pairs[i], pairs[i + 1]);
    }
    return out;
  }
}

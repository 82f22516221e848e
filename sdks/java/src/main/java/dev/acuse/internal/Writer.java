package dev.acuse.internal;

import dev.acuse.Extra;
import dev.acuse.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes a record's fields into one JSON object. */
public final class Writer {
  private final Map<String, Object> out = new LinkedHashMap<>();

  /** Nothing written yet. */
  public Writer() {}

  /**
   * A field that is always there.
   *
   * @param name of the field
   * @param value of a record
   * @return this
   */
  public Writer always(String name, Object value) {
    out.put(name, plain(value));
    return this;
  }

  /**
   * A field that is absent where it is null.
   *
   * @param name of the field
   * @param value of a record
   * @return this
   */
  public Writer given(String name, Object value) {
    return value == null ? this : always(name, value);
  }

  /**
   * What else the record carries.
   *
   * @param extra of the record
   * @return the whole object
   */
  public Map<String, Object> with(Extra extra) {
    if (extra != null) {
      extra.fields().forEach((name, value) -> out.putIfAbsent(name, plain(value)));
    }
    return out;
  }

  /**
   * Several at once.
   *
   * @param fields by name, with records or lists of records among their values
   * @return the whole object
   */
  public Map<String, Object> all(Map<String, Object> fields) {
    fields.forEach(this::always);
    return out;
  }

  private static Object plain(Object value) {
    if (value instanceof JsonObject object) {
      return object.toJson();
    }
    if (value instanceof List<?> list) {
      List<Object> copy = new ArrayList<>();
      list.forEach(each -> copy.add(plain(each)));
      return copy;
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> copy = new LinkedHashMap<>();
      map.forEach((name, each) -> copy.put((String) name, plain(each)));
      return copy;
    }
    if (value instanceof Integer || value instanceof Short) {
      return ((Number) value).longValue();
    }
    return value;
  }
}

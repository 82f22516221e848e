package dev.acuse.internal;

import dev.acuse.Extra;
import dev.acuse.Response;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads the fields of one JSON object into a record. Throws IllegalArgumentException for an
 * essential field that is missing and for a value of another type.
 */
public final class Reader {
  private final String type;
  private final Map<String, Object> rest;
  private final Response response;

  /**
   * Of one object.
   *
   * @param type for messages
   * @param json the object
   * @param response what it came in, or null
   */
  public Reader(String type, Map<String, Object> json, Response response) {
    this.type = type;
    this.rest = new LinkedHashMap<>(json);
    this.response = response;
  }

  /**
   * A field that must be there and is not null.
   *
   * @param <T> its type
   * @param name of the field
   * @param read of its value
   * @return the value
   */
  public <T> T need(String name, Function<Object, T> read) {
    Object value = rest.remove(name);
    if (value == null) {
      throw new IllegalArgumentException(type + "." + name + " is missing");
    }
    return read(name, value, read);
  }

  /**
   * A field that must be there and may be null.
   *
   * @param <T> its type
   * @param name of the field
   * @param read of its value
   * @return the value or null
   */
  public <T> T nullable(String name, Function<Object, T> read) {
    if (!rest.containsKey(name)) {
      throw new IllegalArgumentException(type + "." + name + " is missing");
    }
    Object value = rest.remove(name);
    return value == null ? null : read(name, value, read);
  }

  /**
   * A field that may be absent. A null that is there is kept aside.
   *
   * @param <T> its type
   * @param name of the field
   * @param read of its value
   * @return the value or null
   */
  public <T> T optional(String name, Function<Object, T> read) {
    if (rest.get(name) == null) {
      return null;
    }
    return read(name, rest.remove(name), read);
  }

  /**
   * A field that the contract requires, and that an older server may not have.
   *
   * @param <T> its type
   * @param name of the field
   * @param read of its value
   * @param otherwise what stands for it where it is absent
   * @return the value; null for a null
   */
  public <T> T usual(String name, Function<Object, T> read, T otherwise) {
    if (!rest.containsKey(name)) {
      return otherwise;
    }
    Object value = rest.remove(name);
    if (value == null && otherwise != null) {
      throw new IllegalArgumentException(type + "." + name + " is null");
    }
    return value == null ? null : read(name, value, read);
  }

  private <T> T read(String name, Object value, Function<Object, T> read) {
    try {
      return read.apply(value);
    } catch (ClassCastException wrong) {
      throw new IllegalArgumentException(type + "." + name + " has another type", wrong);
    }
  }

  /**
   * Fields that nobody asked for.
   *
   * @return the rest of the object
   */
  public Extra rest() {
    Extra extra = Extra.of(rest);
    return response == null ? extra : extra.in(response);
  }

  /**
   * A text.
   *
   * @param value of JSON
   * @return it
   */
  public static String string(Object value) {
    return (String) value;
  }

  /**
   * A whole number.
   *
   * @param value of JSON
   * @return it
   */
  public static Long integer(Object value) {
    if (value instanceof java.math.BigDecimal decimal) {
      try {
        return decimal.longValueExact();
      } catch (ArithmeticException fraction) {
        throw new ClassCastException("not a whole number");
      }
    }
    return (Long) value;
  }

  /**
   * A number.
   *
   * @param value of JSON
   * @return it
   */
  public static Double number(Object value) {
    return ((Number) value).doubleValue();
  }

  /**
   * True or false.
   *
   * @param value of JSON
   * @return it
   */
  public static Boolean bool(Object value) {
    return (Boolean) value;
  }

  /**
   * Any value.
   *
   * @param value of JSON
   * @return it
   */
  public static Object json(Object value) {
    return value;
  }

  /**
   * An object.
   *
   * @param value of JSON
   * @return its fields
   */
  @SuppressWarnings("unchecked")
  public static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  /**
   * A list.
   *
   * @param <T> of its items
   * @param read of an item
   * @return a reader
   */
  public static <T> Function<Object, List<T>> list(Function<Object, T> read) {
    return value -> {
      List<T> out = new ArrayList<>();
      for (Object each : (List<?>) value) {
        out.add(read.apply(each));
      }
      return Collections.unmodifiableList(out);
    };
  }

  /**
   * A map.
   *
   * @param <T> of its values
   * @param read of a value
   * @return a reader
   */
  public static <T> Function<Object, Map<String, T>> map(Function<Object, T> read) {
    return value -> {
      Map<String, T> out = new LinkedHashMap<>();
      object(value).forEach((name, each) -> out.put(name, each == null ? null : read.apply(each)));
      return Collections.unmodifiableMap(out);
    };
  }

  /**
   * A record.
   *
   * @param <T> the record
   * @param read of its fields
   * @return a reader
   */
  public static <T> Function<Object, T> record(Function<Map<String, Object>, T> read) {
    return value -> {
      if (value == null) {
        throw new IllegalArgumentException("null in place of an object");
      }
      return read.apply(object(value));
    };
  }
}

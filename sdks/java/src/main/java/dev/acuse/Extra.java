package dev.acuse;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Fields of a record besides its own: those that this version does not know, optional ones that are
 * present as null, and the response that it came in. Two are equal if their fields are.
 */
public final class Extra {
  /** Nothing. */
  public static final Extra NONE = new Extra(Map.of(), null);

  private final Map<String, Object> fields;
  private final Response response;

  private Extra(Map<String, Object> fields, Response response) {
    this.fields = fields;
    this.response = response;
  }

  /**
   * Fields of a record's JSON form.
   *
   * @param fields by name, as {@link Json} reads them
   * @return them, in this order
   */
  public static Extra of(Map<String, Object> fields) {
    return fields.isEmpty()
        ? NONE
        : new Extra(Collections.unmodifiableMap(new LinkedHashMap<>(fields)), null);
  }

  /**
   * The same fields, as they came in a response.
   *
   * @param response what they came in
   * @return a copy
   */
  public Extra in(Response response) {
    return new Extra(fields, response);
  }

  /**
   * Fields that are no component of the record.
   *
   * @return by name
   */
  public Map<String, Object> fields() {
    return fields;
  }

  /**
   * The response that the record came in.
   *
   * @return null for a record that is part of another, or was made here
   */
  public Response response() {
    return response;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Extra extra && fields.equals(extra.fields);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(fields);
  }

  @Override
  public String toString() {
    return fields.keySet().toString();
  }
}

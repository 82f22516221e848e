package dev.acuse;

import java.util.Map;

/** A record that is an object in the API. */
public interface JsonObject {
  /**
   * Its JSON form, for {@link Json#write}.
   *
   * @return its fields by name, unknown ones too
   */
  Map<String, Object> toJson();
}

package dev.acuse;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** One call: an operation with what the caller gave. Its body's bytes are made once. */
final class Call {
  private static final int MAX_KEY = 255;

  final Operation operation;
  final Map<String, String> headers = new LinkedHashMap<>();
  private final Map<String, String> query = new LinkedHashMap<>();
  private String path;
  byte[] body;
  String key;

  /** Where the answer's body goes instead of memory, or null. */
  Path file;

  /** The answer's body may be larger than JSON. */
  boolean bytes;

  Call(Operation operation) {
    this.operation = operation;
    this.path = operation.path();
  }

  String target() {
    StringBuilder out = new StringBuilder(path);
    char before = '?';
    for (Map.Entry<String, String> each : query.entrySet()) {
      out.append(before).append(encode(each.getKey())).append('=').append(encode(each.getValue()));
      before = '&';
    }
    return out.toString();
  }

  Call path(String name, Object value) {
    String text = String.valueOf(value);
    if (value == null || text.isEmpty() || text.equals(".") || text.equals("..")) {
      throw new ConfigurationException(operation.id() + ": " + name + " is empty or a dot");
    }
    path = path.replace("{" + name + "}", encode(text));
    return this;
  }

  /** The same for a value whose slashes stay as they are. */
  Call segments(String name, String value) {
    for (String segment : value.split("/", -1)) {
      if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
        throw new ConfigurationException(operation.id() + ": " + name + " has an empty segment");
      }
    }
    path = path.replace("{" + name + "}", encode(value).replace("%2F", "/"));
    return this;
  }

  Call query(String name, Object value) {
    if (value instanceof java.util.List<?> values) {
      return query(name, String.join(",", values.stream().map(String::valueOf).toList()));
    }
    if (value != null) {
      query.put(name, String.valueOf(value));
    }
    return this;
  }

  Call query(Map<String, Object> values) {
    values.forEach(this::query);
    return this;
  }

  Call header(String name, Object value) {
    if (value != null) {
      headers.put(name, String.valueOf(value));
    }
    return this;
  }

  Call json(Object value) {
    if (value != null) {
      body = Json.write(value).getBytes(StandardCharsets.UTF_8);
      headers.put("Content-Type", "application/json");
    }
    return this;
  }

  Call body(byte[] content, String media) {
    body = content;
    headers.put("Content-Type", media);
    return this;
  }

  Call key(String given) {
    key = given == null ? "auto_" + UUID.randomUUID() : given;
    checkKey(key);
    headers.put("Idempotency-Key", key);
    return this;
  }

  static void checkKey(String key) {
    boolean printable = key.chars().allMatch(c -> c >= 0x20 && c <= 0x7e);
    if (key.isEmpty() || key.length() > MAX_KEY || !printable) {
      throw new ConfigurationException(
          "An idempotency key has 1 to 255 printable ASCII characters: use a UUID or your own id.");
    }
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}

package dev.acuse.testing;

import dev.acuse.model.Message;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/** One request to the fake, read whole; headers by their names in lower case. */
record FakeRequest(String line, Map<String, String> headers, String body) {
  /** The next one of a connection, or null at its end. */
  static FakeRequest read(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int each = in.read();
      if (each < 0) {
        return null;
      }
      head.write(each);
    }
    String[] lines = head.toString(StandardCharsets.ISO_8859_1).split("\r\n");
    Map<String, String> headers = new HashMap<>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      String name = lines[i].substring(0, colon).toLowerCase(Locale.ROOT);
      headers.put(name, lines[i].substring(colon + 1).strip());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    return new FakeRequest(lines[0], headers, body);
  }

  String path() {
    return line.split(" ")[1].split("\\?")[0];
  }

  /** A message as the API answers it. */
  static Map<String, Object> message(String key, Map<String, Object> send, Instant now) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", UUID.randomUUID().toString());
    out.put("idempotency_key", key);
    out.put("from", send.getOrDefault("from", ""));
    Object to = send.getOrDefault("to", "");
    out.put("to", to instanceof List<?> several && !several.isEmpty() ? several.get(0) : to);
    out.put("subject", send.getOrDefault("subject", ""));
    out.put("certified", send.getOrDefault("certified", true));
    out.put("status", "queued");
    out.put("template_id", send.get("template_id"));
    out.put("tags", send.getOrDefault("tags", List.of()));
    out.put("metadata", send.getOrDefault("metadata", Map.of()));
    out.put("size_bytes", 1L);
    out.put("created_at", now.toString());
    // Further fields of a message, as the contract says it.
    return Message.fromJson(out).toJson();
  }
}

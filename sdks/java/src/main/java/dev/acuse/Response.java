package dev.acuse;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The answer that a result came in.
 *
 * @param status the HTTP status
 * @param headers the header fields, by their names in lower case
 * @param attempts how many requests the call made
 */
public record Response(int status, Map<String, List<String>> headers, int attempts) {
  /**
   * Headers are kept as they are given.
   *
   * @param status the HTTP status
   * @param headers by their names in lower case
   * @param attempts how many requests the call made
   */
  public Response {
    headers = Map.copyOf(headers);
  }

  /**
   * The id under which the server logged the request: include it when you report a problem.
   *
   * @return the id, or null
   */
  public String requestId() {
    return header("request-id").orElse(null);
  }

  /**
   * The first value of a header field.
   *
   * @param name in any case
   * @return the value, if there is one
   */
  public Optional<String> header(String name) {
    List<String> values = headers.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), List.of());
    return values.stream().findFirst();
  }
}

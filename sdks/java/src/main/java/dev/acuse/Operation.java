package dev.acuse;

/**
 * One operation of the API, as the contract has it.
 *
 * @param id the contract's operationId, or that of a variant
 * @param name resource and method, such as {@code messages.send}: the same in every library
 * @param method the HTTP method
 * @param path with {@code {name}} for what a call fills in
 * @param retry {@code safe}, {@code keyed}, {@code repeatable} or {@code once}
 * @param accept the media type that is asked for, or null
 */
public record Operation(
    String id, String name, String method, String path, String retry, String accept) {
  Retry.Kind kind() {
    return Retry.Kind.of(retry);
  }

  boolean deletes() {
    return method.equals("DELETE");
  }
}

package dev.acuse;

/**
 * The outcome of a send.
 *
 * @param <T> what was made: a message
 * @param message as the server has it
 * @param replayed true if the server said that the key made this message before: nothing was sent
 *     now. With more than one attempt it usually was the first attempt of this call
 * @param idempotencyKey given, or made for this call
 * @param response with the number of attempts
 */
public record Sent<T>(T message, boolean replayed, String idempotencyKey, Response response) {
  /**
   * How many requests it took.
   *
   * @return at least 1
   */
  public int attempts() {
    return response.attempts();
  }
}

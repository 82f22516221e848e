package dev.acuse;

import java.util.OptionalDouble;

/** The server answered with an error. */
public class ApiException extends CallException {
  private static final long serialVersionUID = 1L;

  /** The server's answer. */
  private final Answer answer;

  ApiException(Answer answer, Failure failure) {
    super(describe(answer), null, failure);
    this.answer = answer;
  }

  /** The content of an error. */
  record Answer(
      int status, String code, String message, String fix, String requestId, Double retryAfter)
      implements java.io.Serializable {}

  private static String describe(Answer answer) {
    String request = answer.requestId() == null ? "" : " [request " + answer.requestId() + "]";
    boolean said = answer.fix() == null || answer.message().contains(answer.fix());
    String fix = said ? "" : " " + answer.fix();
    return answer.status() + " " + answer.code() + ": " + answer.message() + fix + request;
  }

  /**
   * The HTTP status.
   *
   * @return three digits
   */
  public int status() {
    return answer.status();
  }

  /**
   * The error code, one of {@link ErrorCode} or one that a newer server knows.
   *
   * @return lower case with underscores
   */
  public String code() {
    return answer.code();
  }

  /**
   * The server's message, for people.
   *
   * @return the error's message
   */
  public String serverMessage() {
    return answer.message();
  }

  /**
   * How to fix it, as the reference says.
   *
   * @return a sentence, or null for a code that this version does not know
   */
  public String fix() {
    return answer.fix();
  }

  /**
   * The id under which the server logged the request.
   *
   * @return the id, or null
   */
  public String requestId() {
    return answer.requestId();
  }

  /**
   * How long to wait before the call is worth making again.
   *
   * @return seconds, where the server said so
   */
  public OptionalDouble retryAfter() {
    Double seconds = answer.retryAfter();
    return seconds == null ? OptionalDouble.empty() : OptionalDouble.of(seconds);
  }
}

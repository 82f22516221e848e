package dev.acuse;

/** There was no answer: no connection, no secure one, or a connection that was lost. */
public class ConnectionException extends CallException {
  private static final long serialVersionUID = 1L;

  /** As {@link #phase()} gives it. */
  private final String phase;

  ConnectionException(String phase, String message, Throwable cause, Failure failure) {
    super(message, cause, failure);
    this.phase = phase;
  }

  /**
   * How far the last attempt came.
   *
   * @return {@code connect}, {@code tls}, {@code send} or {@code receive}
   */
  public String phase() {
    return phase;
  }
}

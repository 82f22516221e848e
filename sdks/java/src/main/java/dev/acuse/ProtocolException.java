package dev.acuse;

/** An answer that is not what the contract says. */
public class ProtocolException extends CallException {
  private static final long serialVersionUID = 1L;

  /** As {@link #status()} gives it. */
  private final int status;

  ProtocolException(String message, Throwable cause, Failure failure, int status) {
    super(message, cause, failure);
    this.status = status;
  }

  /**
   * The HTTP status of the answer.
   *
   * @return it, or 0 if there was none to tell
   */
  public int status() {
    return status;
  }
}

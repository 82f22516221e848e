package dev.acuse;

/** A call that failed after it was begun. */
public abstract class CallException extends AcuseException {
  private static final long serialVersionUID = 1L;

  /** As {@link #attempts()} gives it. */
  private final int attempts;

  /** As {@link #outcomeUnknown()} gives it. */
  private final boolean outcomeUnknown;

  /** As {@link #idempotencyKey()} gives it. */
  private final String idempotencyKey;

  CallException(String message, Throwable cause, Failure failure) {
    super(message, cause);
    this.attempts = failure.attempts();
    this.outcomeUnknown = failure.outcomeUnknown();
    this.idempotencyKey = failure.idempotencyKey();
  }

  /** Common to all of them. */
  record Failure(int attempts, boolean outcomeUnknown, String idempotencyKey) {}

  /**
   * How many requests the call made.
   *
   * @return at least 1
   */
  public int attempts() {
    return attempts;
  }

  /**
   * May the server have done what was asked?
   *
   * @return true if a request may have reached the server and no answer said its outcome
   */
  public boolean outcomeUnknown() {
    return outcomeUnknown;
  }

  /**
   * The key of a send: sending again with it makes no second message.
   *
   * @return the key, or null where the operation has none
   */
  public String idempotencyKey() {
    return idempotencyKey;
  }
}

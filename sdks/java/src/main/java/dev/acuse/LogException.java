package dev.acuse;

/** A transparency log that contradicts what it said before, or was not signed by its key. */
public class LogException extends AcuseException {
  private static final long serialVersionUID = 1L;

  /** As {@link #reason()} gives it. */
  private final String reason;

  /**
   * With its reason.
   *
   * @param reason {@code went_back}, {@code forked} or {@code bad_signature}
   * @param message the same for people
   */
  public LogException(String reason, String message) {
    super(message, null);
    this.reason = reason;
  }

  /**
   * The fault.
   *
   * @return {@code went_back}: it has fewer entries than before; {@code forked}: it is another
   *     tree; {@code bad_signature}: its key did not sign it
   */
  public String reason() {
    return reason;
  }
}

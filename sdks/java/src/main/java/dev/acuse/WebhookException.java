package dev.acuse;

/** A webhook delivery that must not be believed. Answer it with 400. */
public class WebhookException extends AcuseException {
  private static final long serialVersionUID = 1L;

  /** As {@link #reason()} gives it. */
  private final String reason;

  /**
   * With its reason.
   *
   * @param reason a stable word, such as {@code signature} or {@code timestamp}
   * @param message the same for people
   */
  public WebhookException(String reason, String message) {
    super(message, null);
    this.reason = reason;
  }

  /**
   * Why the delivery was refused.
   *
   * @return a stable word
   */
  public String reason() {
    return reason;
  }
}

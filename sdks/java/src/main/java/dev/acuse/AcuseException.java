package dev.acuse;

/** Whatever goes wrong in this library. Its text holds no key, no secret and no body. */
public class AcuseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * With a cause.
   *
   * @param message what happened, and how to fix it
   * @param cause why, or null
   */
  protected AcuseException(String message, Throwable cause) {
    super(message, cause);
  }
}

package dev.acuse;

/** The calling thread was interrupted or its future cancelled; the call was not tried again. */
public class CancelledException extends ConnectionException {
  private static final long serialVersionUID = 1L;

  CancelledException(String message, Throwable cause, Failure failure) {
    super("receive", message, cause, failure);
  }
}

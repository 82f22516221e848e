package dev.acuse;

/** The answer did not come in time. */
public class CallTimeoutException extends ConnectionException {
  private static final long serialVersionUID = 1L;

  CallTimeoutException(String phase, String message, Throwable cause, Failure failure) {
    super(phase, message, cause, failure);
  }
}

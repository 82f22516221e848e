package dev.acuse;

/** An answer that is not what the contract says. */
public class ProtocolException extends CallException {
  private static final long serialVersionUID = 1L;

  ProtocolException(String message, Throwable cause, Failure failure) {
    super(message, cause, failure);
  }
}

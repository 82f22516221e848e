package dev.acuse;

/** The server is not available: 503. */
public class UnavailableException extends ServerException {
  private static final long serialVersionUID = 1L;

  UnavailableException(Answer answer, Failure failure) {
    super(answer, failure);
  }
}

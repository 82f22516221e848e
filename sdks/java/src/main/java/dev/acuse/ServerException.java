package dev.acuse;

/** The server failed: 5xx. */
public class ServerException extends ApiException {
  private static final long serialVersionUID = 1L;

  ServerException(Answer answer, Failure failure) {
    super(answer, failure);
  }
}

package dev.acuse;

/** The request is malformed: 400, 405, 413 or 415. */
public class InvalidRequestException extends ApiException {
  private static final long serialVersionUID = 1L;

  InvalidRequestException(Answer answer, Failure failure) {
    super(answer, failure);
  }
}

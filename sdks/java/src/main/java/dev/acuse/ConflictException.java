package dev.acuse;

/** The state of the resource does not allow it now: 409. */
public class ConflictException extends ApiException {
  private static final long serialVersionUID = 1L;

  ConflictException(Answer answer, Failure failure) {
    super(answer, failure);
  }
}

package dev.acuse;

/** Understood and refused: 422. */
public class RefusedException extends ApiException {
  private static final long serialVersionUID = 1L;

  RefusedException(Answer answer, Failure failure) {
    super(answer, failure);
  }
}

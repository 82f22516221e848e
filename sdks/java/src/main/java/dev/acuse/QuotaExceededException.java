package dev.acuse;

/** The monthly quota is used up: 429 {@code quota_exceeded}. */
public class QuotaExceededException extends ApiException {
  private static final long serialVersionUID = 1L;

  QuotaExceededException(Answer answer, Failure failure) {
    super(answer, failure);
  }
}

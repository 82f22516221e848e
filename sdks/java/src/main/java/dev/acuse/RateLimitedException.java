package dev.acuse;

/** Too many requests: 429. */
public class RateLimitedException extends ApiException {
  private static final long serialVersionUID = 1L;

  RateLimitedException(Answer answer, Failure failure) {
    super(answer, failure);
  }
}

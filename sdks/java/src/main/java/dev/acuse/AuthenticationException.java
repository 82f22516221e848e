package dev.acuse;

/** The API key is missing or unknown: 401. */
public class AuthenticationException extends ApiException {
  private static final long serialVersionUID = 1L;

  AuthenticationException(Answer answer, Failure failure) {
    super(answer, failure);
  }
}

package dev.acuse;

/** The API key may not do this: 403. */
public class PermissionException extends ApiException {
  private static final long serialVersionUID = 1L;

  PermissionException(Answer answer, Failure failure) {
    super(answer, failure);
  }
}

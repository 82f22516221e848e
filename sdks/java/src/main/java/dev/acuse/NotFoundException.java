package dev.acuse;

/** No such resource in this account: 404. */
public class NotFoundException extends ApiException {
  private static final long serialVersionUID = 1L;

  NotFoundException(Answer answer, Failure failure) {
    super(answer, failure);
  }
}

package dev.acuse;

/** The call or the client is set up in a way that cannot work: nothing was requested. */
public class ConfigurationException extends AcuseException {
  private static final long serialVersionUID = 1L;

  /**
   * With its reason.
   *
   * @param message what is wrong, and how to fix it
   */
  public ConfigurationException(String message) {
    super(message, null);
  }
}

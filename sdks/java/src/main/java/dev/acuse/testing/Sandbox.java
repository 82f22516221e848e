package dev.acuse.testing;

import java.util.List;

/** Addresses of the sandbox, whose mail has the outcome that they name. */
public final class Sandbox {
  /** Outcomes that the sandbox plays. */
  public static final List<String> OUTCOMES =
      List.of("delivered", "bounced", "deferred", "complained");

  private Sandbox() {}

  /**
   * An address.
   *
   * @param outcome such as {@code delivered} or {@code bounced}
   * @return an address in {@code sandbox.test}
   */
  public static String address(String outcome) {
    return outcome + "@sandbox.test";
  }

  /**
   * An address of its own for one test.
   *
   * @param outcome such as {@code delivered} or {@code bounced}
   * @param tag letters and digits
   * @return an address in {@code sandbox.test}
   */
  public static String address(String outcome, String tag) {
    return outcome + "+" + tag + "@sandbox.test";
  }
}

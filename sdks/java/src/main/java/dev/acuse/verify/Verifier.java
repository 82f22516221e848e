package dev.acuse.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Verifies proof bundles offline, under the policy of whoever verifies, with time-stamps, renewals
 * and revocation (CRL, OCSP). Text in charsets other than UTF-8 and windows-1252 is not checked
 * here, and what is not checked makes the verdict {@code incomplete}.
 */
public final class Verifier {
  private Verifier() {}

  /**
   * Verifies a bundle.
   *
   * @param file a ZIP, or its JSON form
   * @param policy whom to trust; {@link Policy#TRUST_BUNDLE} has to be written out
   * @return a report
   * @throws NotABundleException if the file is no bundle at all
   * @throws IOException if the file cannot be read
   */
  public static Report verify(Path file, Policy policy) throws IOException {
    return verify(Files.readAllBytes(file), policy, null);
  }

  /**
   * Verifies a bundle.
   *
   * @param bundle a ZIP, or its JSON form
   * @param policy whom to trust; {@link Policy#TRUST_BUNDLE} has to be written out
   * @param at when the newest time-stamp's certificates must still be valid, as a rule now; null
   *     does not ask
   * @return a report
   * @throws NotABundleException if the file is no bundle at all
   */
  public static Report verify(byte[] bundle, Policy policy, Instant at) {
    return verify(bundle, policy, at, null);
  }

  /**
   * Verifies a bundle, and compares a message as somebody received it with the sealed one.
   *
   * @param bundle a ZIP, or its JSON form
   * @param policy whom to trust
   * @param at when the newest time-stamp's certificates must still be valid, or null
   * @param eml the message as received, or null
   * @return a report with its {@link Report#copy}
   * @throws NotABundleException if the file is no bundle at all
   */
  public static Report verify(byte[] bundle, Policy policy, Instant at, byte[] eml) {
    return verify(bundle, policy, at, eml, Clock.systemUTC());
  }

  /**
   * Verifies a bundle by another clock than the system's.
   *
   * @param bundle a ZIP, or its JSON form
   * @param policy whom to trust
   * @param at when the newest time-stamp's certificates must still be valid, or null
   * @param eml the message as received, or null
   * @param clock the reader's: what lies a day ahead of it is refused
   * @return a report
   * @throws NotABundleException if the file is no bundle at all
   */
  public static Report verify(byte[] bundle, Policy policy, Instant at, byte[] eml, Clock clock) {
    Objects.requireNonNull(policy, "policy");
    if (!Container.looksLikeBundle(bundle)) {
      throw new NotABundleException();
    }
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    return new Verification(policy, at, now).run(bundle, eml);
  }
}

package dev.acuse;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Webhook endpoints, and the check of what they receive. */
public final class Webhooks extends WebhooksOperations {
  Webhooks(Engine engine) {
    super(engine);
  }

  /**
   * Checks a delivery: that it is signed with the endpoint's secret and not older than five
   * minutes.
   *
   * @param body the bytes of the request as they came, before anything parsed them
   * @param headers of the request, names in any case; values are a String or a list of Strings
   * @param secret of the endpoint, {@code whsec_…}
   * @return the event
   * @throws WebhookException for anything that must not be believed: answer it with 400
   */
  public static WebhookEvent verify(byte[] body, Map<String, ?> headers, String secret) {
    return verifier(secret).verify(body, headers);
  }

  /**
   * A verifier that can be kept.
   *
   * @param secrets of the endpoint: while one is being changed, the new and the old one
   * @return a verifier with a tolerance of five minutes
   */
  public static Verifier verifier(String... secrets) {
    return new Verifier(List.of(secrets), WebhookSignatures.TOLERANCE, false, null);
  }

  /** Checks deliveries to one endpoint. */
  public static final class Verifier {
    private final List<String> secrets;
    private final Duration tolerance;
    private final boolean acceptUnstamped;
    private final java.time.Instant at;

    private Verifier(
        List<String> secrets, Duration tolerance, boolean acceptUnstamped, java.time.Instant at) {
      this.secrets = secrets;
      this.tolerance = tolerance;
      this.acceptUnstamped = acceptUnstamped;
      this.at = at;
      WebhookSignatures.checkSecrets(secrets);
    }

    /**
     * Another tolerance.
     *
     * @param duration that a delivery's time and this machine's may differ by
     * @return another verifier
     */
    public Verifier tolerance(Duration duration) {
      return new Verifier(secrets, duration, acceptUnstamped, at);
    }

    /**
     * Also lets deliveries pass that carry {@code Service-Signature} alone. Whoever records one can
     * replay it for ever; events say so with {@link WebhookEvent#replayProtected}.
     *
     * @return another verifier
     */
    public Verifier acceptUnstamped() {
      return new Verifier(secrets, tolerance, true, at);
    }

    /**
     * For tests: what time it is.
     *
     * @param now in place of this machine's time
     * @return another verifier
     */
    public Verifier at(java.time.Instant now) {
      return new Verifier(secrets, tolerance, acceptUnstamped, now);
    }

    /**
     * Checks a delivery.
     *
     * @param body the bytes of the request as they came
     * @param headers of the request; values are a String or a list of Strings
     * @return the event
     * @throws WebhookException for anything that must not be believed
     */
    public WebhookEvent verify(byte[] body, Map<String, ?> headers) {
      java.time.Instant now = at == null ? java.time.Instant.now() : at;
      WebhookSignatures given = new WebhookSignatures(body, headers);
      boolean stamped = given.check(secrets, tolerance, acceptUnstamped, now);
      return given.event(stamped);
    }

    /**
     * Refuses what is not bytes: a signature covers the bytes as they came.
     *
     * @param body parsed or decoded already
     * @param headers of the request
     * @return never
     * @throws WebhookException always
     */
    public WebhookEvent verify(Object body, Map<String, ?> headers) {
      if (body instanceof byte[] bytes) {
        return verify(bytes, headers);
      }
      throw WebhookSignatures.parsed();
    }

    @Override
    public String toString() {
      return "Verifier{whsec_***}";
    }
  }
}

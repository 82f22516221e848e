package dev.acuse;

import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/** How a client works. Each method returns this, so that calls can be chained. */
public final class Options implements Cloneable {
  String apiKey = System.getenv("ACUSE_API_KEY");
  String baseUrl = address(System.getenv());
  int maxRetries = 3;
  Duration connectTimeout = Duration.ofSeconds(10);
  Duration timeout = Duration.ofSeconds(60);
  Duration deadline = Duration.ofSeconds(180);
  Path caFile;
  URI proxy;
  String appInfo;
  boolean allowInsecure;
  Consumer<AttemptReport> onAttempt;
  HttpClient httpClient;
  Clock clock = Clock.systemUTC();
  Sleeper sleep = duration -> Thread.sleep(duration.toMillis());
  DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

  Options() {}

  /** Waits between two attempts. */
  @FunctionalInterface
  public interface Sleeper {
    /**
     * Waits.
     *
     * @param duration how long
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    void sleep(Duration duration) throws InterruptedException;
  }

  /**
   * The API key; {@code ACUSE_API_KEY} if this is not called.
   *
   * @param key as the API gave it once
   * @return this
   */
  public Options apiKey(String key) {
    this.apiKey = key;
    return this;
  }

  /**
   * Where the service is; {@code ACUSE_URL} if this is not called.
   *
   * @param url https, or http to this machine
   * @return this
   */
  public Options baseUrl(String url) {
    this.baseUrl = url;
    return this;
  }

  /**
   * How often a call is tried again; 3 by default.
   *
   * @param retries 0 for never
   * @return this
   */
  public Options maxRetries(int retries) {
    this.maxRetries = retries;
    return this;
  }

  /**
   * How long a connection may take; 10 seconds by default. It belongs to the shared connections and
   * is not changed by {@link Acuse#withOptions}.
   *
   * @param duration more than zero
   * @return this
   */
  public Options connectTimeout(Duration duration) {
    this.connectTimeout = duration;
    return this;
  }

  /**
   * How long one attempt may take; 60 seconds by default, and one second more for each 256 KiB of
   * the request's body.
   *
   * @param duration more than zero
   * @return this
   */
  public Options timeout(Duration duration) {
    this.timeout = duration;
    return this;
  }

  /**
   * How long a call may take with all its attempts; 180 seconds by default.
   *
   * @param duration more than zero
   * @return this
   */
  public Options deadline(Duration duration) {
    this.deadline = duration;
    return this;
  }

  /**
   * Authorities to trust in place of those of the Java runtime.
   *
   * @param file PEM
   * @return this
   */
  public Options caFile(Path file) {
    this.caFile = file;
    return this;
  }

  /**
   * A proxy, which is asked to CONNECT. Without it that of {@code HTTPS_PROXY} is used for https,
   * and none for plain http; {@code NO_PROXY} has hosts without one.
   *
   * @param url such as {@code http://proxy.example:3128}
   * @return this
   */
  public Options proxy(URI url) {
    this.proxy = url;
    return this;
  }

  /**
   * Text added to the User-Agent.
   *
   * @param name such as {@code shop/1.2}
   * @return this
   */
  public Options appInfo(String name) {
    this.appInfo = name;
    return this;
  }

  /**
   * Allows plain http to other machines, where everyone on the way reads the key and the messages.
   *
   * @param allow true to allow it
   * @return this
   */
  public Options allowInsecure(boolean allow) {
    this.allowInsecure = allow;
    return this;
  }

  /**
   * Is told of every attempt. What it throws changes nothing.
   *
   * @param hook called in the thread that makes the call
   * @return this
   */
  public Options onAttempt(Consumer<AttemptReport> hook) {
    this.onAttempt = hook;
    return this;
  }

  /**
   * The HTTP client to use; connect timeout, CA file and proxy are then its own. It must not follow
   * redirects.
   *
   * @param client any
   * @return this
   */
  public Options httpClient(HttpClient client) {
    this.httpClient = client;
    return this;
  }

  /**
   * For tests: what time it is.
   *
   * @param clock any
   * @return this
   */
  public Options clock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /**
   * For tests: how to wait between attempts.
   *
   * @param sleeper any
   * @return this
   */
  public Options sleep(Sleeper sleeper) {
    this.sleep = sleeper;
    return this;
  }

  /**
   * For tests: the randomness of delays.
   *
   * @param source uniform in [0, 1)
   * @return this
   */
  public Options random(DoubleSupplier source) {
    this.random = source;
    return this;
  }

  /** Throws ConfigurationException unless a client can work with these. */
  Options checked() {
    if (apiKey == null || apiKey.isEmpty()) {
      throw new ConfigurationException("No API key: set ACUSE_API_KEY, or Options.apiKey.");
    }
    if (!apiKey.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
      throw new ConfigurationException(
          "The API key has white space or control characters: copy it again, without line ends.");
    }
    if (appInfo != null && !appInfo.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
      throw new ConfigurationException("appInfo is not printable ASCII.");
    }
    if (baseUrl == null || baseUrl.isEmpty()) {
      throw new ConfigurationException(
          "No address of the service: set ACUSE_URL, or Options.baseUrl.");
    }
    checkUrl(baseUrl, allowInsecure);
    if (proxy != null && baseUrl.startsWith("http:") && !allowInsecure) {
      throw new ConfigurationException(
          "The proxy would see the API key in plain http: use https, or allowInsecure.");
    }
    if (maxRetries < 0 || !positive(connectTimeout) || !positive(timeout) || !positive(deadline)) {
      throw new ConfigurationException("maxRetries is negative, or a time is not above zero.");
    }
    if (httpClient != null && httpClient.followRedirects() != HttpClient.Redirect.NEVER) {
      throw new ConfigurationException(
          "The HTTP client follows redirects, which would hand the API key on: use NEVER.");
    }
    return this;
  }

  private static boolean positive(Duration duration) {
    return duration != null && !duration.isZero() && !duration.isNegative();
  }

  private static final String BASE_URL = "The base URL (Options.baseUrl, or ACUSE_URL)";

  private static void checkUrl(String url, boolean allowInsecure) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException malformed) {
      throw new ConfigurationException(BASE_URL + " is not a URL.");
    }
    boolean tls = "https".equals(uri.getScheme());
    if (!tls && !"http".equals(uri.getScheme()) || uri.getHost() == null) {
      throw new ConfigurationException(BASE_URL + " must begin with https:// and a host.");
    }
    if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw new ConfigurationException(
          BASE_URL + " must have no credentials, no query and no fragment.");
    }
    if (!tls && !allowInsecure && !isLoopback(uri.getHost())) {
      throw new ConfigurationException(
          "Plain http would show the API key to everyone on the way: use https, or allowInsecure.");
    }
  }

  private static boolean isLoopback(String host) {
    return host.equalsIgnoreCase("localhost")
        || host.toLowerCase(java.util.Locale.ROOT).endsWith(".localhost")
        || host.equals("[::1]")
        || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
  }

  /** ACUSE_BASE_URL is what it was called before. */
  static String address(Map<String, String> env) {
    String address = env.getOrDefault("ACUSE_URL", "");
    return address.isEmpty() ? env.get("ACUSE_BASE_URL") : address;
  }

  ProxySelector proxySelector() {
    URI used = proxy == null ? environmentProxy(baseUrl, System.getenv()) : proxy;
    if (used == null) {
      return HttpClient.Builder.NO_PROXY;
    }
    int port = used.getPort() < 0 ? 80 : used.getPort();
    return ProxySelector.of(new java.net.InetSocketAddress(used.getHost(), port));
  }

  /** The rule is that of contract/vectors/README.md of the project. */
  static URI environmentProxy(String address, Map<String, String> env) {
    URI url = URI.create(address);
    if (!"https".equals(url.getScheme()) || isLoopback(url.getHost())) {
      return null;
    }
    String named = first(env, "https_proxy", "HTTPS_PROXY").strip();
    if (named.isEmpty() || isExcepted(url, first(env, "no_proxy", "NO_PROXY"))) {
      return null;
    }
    String proxy = named.contains("://") ? named : "http://" + named;
    try {
      URI found = URI.create(proxy);
      if ("http".equals(found.getScheme()) && found.getHost() != null) {
        return found;
      }
    } catch (IllegalArgumentException malformed) {
      // Refused below.
    }
    throw new ConfigurationException("HTTPS_PROXY must be like http://proxy.example.com:3128.");
  }

  private static String first(Map<String, String> env, String name, String other) {
    String value = env.getOrDefault(name, "");
    return value.isEmpty() ? env.getOrDefault(other, "") : value;
  }

  private static boolean isExcepted(URI url, String list) {
    String host = url.getHost().toLowerCase(java.util.Locale.ROOT);
    String port = String.valueOf(url.getPort() < 0 ? 443 : url.getPort());
    for (String entry : list.toLowerCase(java.util.Locale.ROOT).split("[\\s,]+")) {
      if (entry.equals("*")) {
        return true;
      }
      String[] parts = entry.replaceFirst("^\\*?\\.?", "").split(":", 2);
      boolean fits = parts.length < 2 || parts[1].equals(port);
      boolean same = host.equals(parts[0]) || host.endsWith("." + parts[0]);
      if (!parts[0].isEmpty() && fits && same) {
        return true;
      }
    }
    return false;
  }

  Options copy() {
    try {
      return (Options) clone();
    } catch (CloneNotSupportedException impossible) {
      throw new AssertionError(impossible);
    }
  }

  @Override
  public String toString() {
    return "Options{baseUrl=" + baseUrl + ", apiKey=" + Secrets.shown(apiKey) + "}";
  }
}

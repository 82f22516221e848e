package dev.acuse;

/** Tokens that limit how much of a client's traffic is retries. */
final class Budget {
  private int tokens;

  Budget() {
    this(Retry.FULL_BUDGET);
  }

  Budget(int tokens) {
    this.tokens = tokens;
  }

  synchronized int tokens() {
    return tokens;
  }

  /** False, and nothing taken, if there are not as many. */
  synchronized boolean take(int cost) {
    if (tokens < cost) {
      return false;
    }
    tokens -= cost;
    return true;
  }

  synchronized void give(int gain) {
    tokens = Math.min(Retry.FULL_BUDGET, tokens + gain);
  }
}

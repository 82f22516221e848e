package dev.acuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetryTest {
  private static final Map<String, Object> VECTORS =
      Vectors.object(Vectors.read("client-decisions.json"));

  private static Retry.Outcome outcome(Map<String, Object> json, Map<String, Object> headers) {
    Map<String, String> texts = new LinkedHashMap<>();
    headers.forEach((name, value) -> texts.put(name, (String) value));
    String kind = ((String) json.get("kind")).toUpperCase(Locale.ROOT);
    Number status = (Number) json.getOrDefault("status", 0L);
    return new Retry.Outcome(
        Retry.End.valueOf(kind), status.intValue(), (String) json.get("code"), texts);
  }

  private static int number(Map<String, Object> json, String name) {
    return ((Number) json.get(name)).intValue();
  }

  @Test
  void decidesAsTheVectorsSay() {
    List<Object> cases = Vectors.list(VECTORS.get("decisions"));
    assertTrue(cases.size() > 300);
    for (Object each : cases) {
      Map<String, Object> vector = Vectors.object(each);
      Map<String, Object> in = Vectors.object(vector.get("in"));
      Map<String, Object> out = Vectors.object(vector.get("out"));
      Retry.State state =
          new Retry.State(
              number(in, "attempt"),
              number(in, "max_retries"),
              ((Number) in.get("u")).doubleValue(),
              number(in, "budget"),
              ((Number) in.get("time_left")).longValue(),
              ((Number) in.get("now")).longValue());
      Retry.Decision decision =
          Retry.decide(
              Retry.Kind.of((String) in.get("class")),
              outcome(Vectors.object(in.get("outcome")), Vectors.object(in.get("headers"))),
              state);
      Map<String, Object> said = new LinkedHashMap<>();
      said.put("retry", decision.retry());
      said.put("delay", decision.delay());
      said.put("budget", (long) decision.budget());
      said.put("retry_after", decision.retryAfter());
      said.put("unknown", decision.unknown());
      said.put("because", decision.because());
      assertEquals(out, said, (String) vector.get("name"));
    }
  }

  @Test
  void readsMoments() {
    for (Object each : Vectors.list(VECTORS.get("retry_after"))) {
      Map<String, Object> vector = Vectors.object(each);
      String value = ((String) vector.get("value")).strip();
      assertEquals(vector.get("moment"), Retry.moment(value), value);
    }
  }

  @Test
  void waitsAsLongAsTheVectorsSay() {
    for (Object each : Vectors.list(VECTORS.get("delays"))) {
      Map<String, Object> vector = Vectors.object(each);
      double u = ((Number) vector.get("u")).doubleValue();
      long delay = Retry.delay(number(vector, "retry"), u, null);
      assertEquals(vector.get("delay"), delay);
    }
  }

  @Test
  void keepsItsBudget() {
    for (Object each : Vectors.list(VECTORS.get("budgets"))) {
      Map<String, Object> vector = Vectors.object(each);
      Budget budget = new Budget(number(vector, "start"));
      int spent = 0;
      for (Object event : Vectors.list(vector.get("events"))) {
        Map<String, Object> step = Vectors.object(event);
        switch ((String) step.get("event")) {
          case "ok" -> budget.give(Retry.gain(0));
          case "ok after retry" -> {
            budget.give(Retry.gain(spent));
            spent = 0;
          }
          default -> {
            int cost = "timeout".equals(step.get("event")) ? 10 : 5;
            boolean paid = budget.take(cost);
            assertEquals(step.get("paid"), paid);
            spent += paid ? cost : 0;
          }
        }
        assertEquals(number(step, "budget"), budget.tokens(), (String) vector.get("name"));
      }
    }
  }

  @Test
  void takesAnAbsentResourceForDeleted() {
    for (Object each : Vectors.list(VECTORS.get("deletions"))) {
      Map<String, Object> vector = Vectors.object(each);
      boolean unknown = false;
      boolean deleted = false;
      for (Object one : Vectors.list(vector.get("outcomes"))) {
        Retry.Outcome outcome = outcome(Vectors.object(one), Map.of());
        deleted = outcome.status() == 204 || Retry.deleted(unknown, outcome);
        Retry.State state = new Retry.State(1, 3, 0, 500, 180_000, 0);
        unknown |= Retry.decide(Retry.Kind.REPEATABLE, outcome, state).unknown();
      }
      assertEquals(vector.get("ended").equals("deleted"), deleted, (String) vector.get("name"));
    }
  }
}

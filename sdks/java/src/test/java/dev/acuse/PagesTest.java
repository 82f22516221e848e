package dev.acuse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.acuse.model.Message;
import dev.acuse.model.Send;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Lists, and items of batches. */
class PagesTest {
  @Test
  void whatToAskForIsSaidOnceForAllPages() {
    Acuse acuse = Acuse.of(options -> options.apiKey("acuse_a_b").baseUrl("http://localhost:9"));
    int[] filled = new int[1];
    Pages<Message> list =
        acuse.messages().list(query -> query.createdAfter(Instant.ofEpochSecond(filled[0]++)));
    // Each makes the call of a page.
    assertEquals(list.toString(), list.toString());
    assertEquals(1, filled[0]);
  }

  @Test
  void aKeyedSendIsTheSendAndItsKey() {
    Map<String, Object> full =
        Vectors.object(
            Vectors.object(Vectors.object(Vectors.read("examples.json")).get("BatchItem"))
                .get("full"));
    Map<String, Object> less = new LinkedHashMap<>(full);
    Object key = less.remove("idempotency_key");
    assertEquals(full, Send.fromJson(less).keyed((String) key).toJson());
  }
}

package dev.acuse.examples;

import dev.acuse.Acuse;
import dev.acuse.ErrorCode;
import dev.acuse.JsonObject;
import dev.acuse.Outbox;
import dev.acuse.RefusedException;
import dev.acuse.Sent;
import dev.acuse.WebhookEvent;
import dev.acuse.Webhooks;
import dev.acuse.model.EmailBouncedData;
import dev.acuse.model.Message;
import dev.acuse.model.Send;
import dev.acuse.verify.LogCheckpoint;
import dev.acuse.verify.Policy;
import dev.acuse.verify.Verifier;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The code of the README; ReadmeTest compares the two and runs it. */
public final class Quickstart {
  private Quickstart() {}

  /**
   * Sends a batch and lists messages.
   *
   * @param acuse a client
   * @param items to send
   */
  public static void many(Acuse acuse, List<? extends JsonObject> items) {
    // README: many
    for (var item : acuse.messages().sendBatch(items)) {
      System.out.println(item.index() + " " + item.status());
      if (item.error() != null) {
        System.out.println(item.error().getMessage());
      }
    }
    for (Message each : acuse.messages().list(query -> query.status("bounced"))) {
      System.out.println(each.id());
    }
    // README: end
  }

  /**
   * Writes a message in a transaction and sends what is due.
   *
   * @param acuse a client
   * @param database of PostgreSQL
   * @param message to send
   * @param number of an invoice
   * @throws SQLException what the database says
   */
  public static void outbox(Acuse acuse, Connection database, Send message, String number)
      throws SQLException {
    // README: outbox
    database.setAutoCommit(false); // java.sql.Connection
    try (var invoice = database.prepareStatement("insert into invoices (number) values (?)")) {
      invoice.setString(1, number);
      invoice.executeUpdate();
    }
    Outbox.add(database, message, "invoice-" + number);
    database.commit();

    // Every few seconds, in as many processes as you like.
    while (acuse.sendOutbox(database, 100) > 0) {}
    // README: end
  }

  /**
   * Sends to an address that may be suppressed.
   *
   * @param acuse a client
   * @param message to send
   */
  public static void refused(Acuse acuse, Send message) {
    // README: refused
    try {
      acuse.messages().send(message, "invoice-2");
    } catch (RefusedException refused) {
      if (!refused.code().equals(ErrorCode.RECIPIENT_SUPPRESSED)) {
        throw refused;
      }
      System.out.println(refused.fix());
    }
    // README: end
  }

  /**
   * Checks a delivery.
   *
   * @param body the bytes as they came
   * @param headers of the request
   * @param secret of the endpoint
   * @return the event
   */
  public static WebhookEvent receive(byte[] body, Map<String, String> headers, String secret) {
    // README: webhook
    WebhookEvent event = Webhooks.verify(body, headers, secret);
    if (event.data() instanceof EmailBouncedData bounced) {
      System.out.println(bounced.messageId() + " " + event.eventId());
    }
    // README: end
    return event;
  }

  /**
   * Waits for a proof bundle, saves it and checks it.
   *
   * @param acuse a client
   * @param id of a certified message
   * @throws IOException if a file cannot be read or written
   */
  public static void proof(Acuse acuse, String id) throws IOException {
    // README: proof
    Path file = Path.of("proof.zip");
    acuse.evidence().waitUntilSealed(id, Duration.ofMinutes(1));
    acuse.evidence().downloadBundle(id, file);
    var report = Verifier.verify(file, Policy.load(Path.of("policy.json"))); // offline
    System.out.println(report.verdict() + " " + report.reasons() + " " + report.sealedAt());
    // README: end
  }

  /**
   * Follows the log and holds it to its promise.
   *
   * @param acuse a client
   * @param sent a certified message
   * @param pinnedKey of the log
   */
  public static void log(Acuse acuse, Sent<Message> sent, String pinnedKey) {
    // README: log
    LogCheckpoint saved = acuse.log().checkpoint(pinnedKey); // signed by the key that you know
    LogCheckpoint newest = acuse.log().follow(saved); // proven to continue it
    System.out.println(newest.size() + " " + acuse.log().checkPromise(sent.message(), newest));
    // README: end
  }
}

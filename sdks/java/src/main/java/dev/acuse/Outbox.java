package dev.acuse;

import dev.acuse.model.Message;
import dev.acuse.model.Send;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The outbox: messages that are written in the caller's own transaction and sent afterwards, each
 * once. The database is PostgreSQL.
 */
public final class Outbox {
  /** The table that a migration of yours creates, once; libraries in all languages share it. */
  public static final String TABLE = OutboxSql.TABLE;

  /** Characters of an error that the table keeps. */
  private static final int ERROR_MAX_CHARS = 1_000;

  private Outbox() {}

  /**
   * Writes a message and its key into the outbox, in the transaction that the connection is in: if
   * that is rolled back, nothing is sent. {@link Acuse#sendOutbox} sends it.
   *
   * @param connection of the caller, which commits
   * @param message what to send
   * @param idempotencyKey 1 to 255 printable ASCII characters
   * @return false: the key is in the outbox already, and nothing was written
   * @throws ConfigurationException for a key that cannot be one
   * @throws SQLException what the database says
   */
  public static boolean add(Connection connection, Send message, String idempotencyKey)
      throws SQLException {
    if (idempotencyKey == null) {
      throw new ConfigurationException("a message of the outbox needs a key");
    }
    Call.checkKey(idempotencyKey);
    try (PreparedStatement statement = connection.prepareStatement(OutboxSql.ADD)) {
      statement.setString(1, idempotencyKey);
      statement.setString(2, Json.write(message.toJson()));
      return statement.executeUpdate() == 1;
    }
  }

  /** A message that is to be sent. */
  private record Row(long id, String key, String message, int attempts) {}

  /** The outcome of an attempt. */
  private record Came(String state, String messageId, String error, double seconds) {}

  /** Behind {@link Acuse#sendOutbox}. */
  static int sendDue(Engine engine, Connection connection, int limit) throws SQLException {
    for (int ended = 0; ended < limit; ended++) {
      Row row = claim(connection);
      if (row == null) {
        return ended;
      }
      Came came = attempt(engine, row);
      record(connection, row, came);
      // A cause such as a service that is down would make the next wait too.
      if (came.state.equals("waiting")) {
        return ended;
      }
    }
    return limit;
  }

  private static Row claim(Connection connection) throws SQLException {
    Row row = null;
    try (PreparedStatement statement = connection.prepareStatement(OutboxSql.CLAIM);
        ResultSet found = statement.executeQuery()) {
      if (found.next()) {
        row = new Row(found.getLong(1), found.getString(2), found.getString(3), found.getInt(4));
      }
    }
    commit(connection);
    return row;
  }

  private static void record(Connection connection, Row row, Came came) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OutboxSql.RECORD)) {
      statement.setString(1, came.state);
      statement.setString(2, came.messageId);
      statement.setString(3, came.error);
      statement.setDouble(4, came.seconds);
      statement.setLong(5, row.id);
      statement.setInt(6, row.attempts);
      statement.executeUpdate();
    }
    commit(connection);
  }

  private static void commit(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      connection.commit();
    }
  }

  /**
   * The bytes are those of the row: whoever sends it again, in whatever language, sends the same.
   */
  private static Came attempt(Engine engine, Row row) {
    try {
      byte[] body = row.message.getBytes(StandardCharsets.UTF_8);
      Call call = new Call(Operations.SEND_MESSAGE).body(body, "application/json").key(row.key);
      Sent<Message> sent = engine.sent(call, Message::fromJson);
      return new Came("sent", sent.message().id(), null, 0);
    } catch (CancelledException cancelled) {
      throw cancelled;
    } catch (ApiException refusal) {
      if (refusal.code().equals(OutboxSql.ACCEPTED)) {
        return new Came("sent", null, null, 0);
      }
      boolean refused =
          OutboxSql.REFUSED.contains(refusal.status()) && !refusal.code().startsWith("http_");
      String text = refusal.code() + ": " + refusal.serverMessage();
      double seconds = refusal.retryAfter().orElse(0);
      return new Came(refused ? "refused" : "waiting", null, cut(text), seconds);
    } catch (AcuseException lost) {
      return new Came("waiting", null, cut(lost.getMessage()), 0);
    }
  }

  private static String cut(String text) {
    int end =
        text.offsetByCodePoints(
            0, Math.min(text.codePointCount(0, text.length()), ERROR_MAX_CHARS));
    return text.substring(0, end);
  }
}

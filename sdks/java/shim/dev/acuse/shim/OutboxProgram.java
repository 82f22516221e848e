package dev.acuse.shim;

import dev.acuse.Acuse;
import dev.acuse.Outbox;
import dev.acuse.model.Send;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Run and killed by sdks/conformance/run/outbox.mjs: setup | add ADDRESS KEY… | send. */
public final class OutboxProgram {
  private OutboxProgram() {}

  /**
   * Does what its first argument says.
   *
   * @param args see above
   * @throws SQLException what the database says
   */
  public static void main(String[] args) throws SQLException {
    URI url = URI.create(System.getenv("DATABASE_URL"));
    String place = "jdbc:postgresql://127.0.0.1:" + url.getPort() + url.getPath();
    try (Connection database = DriverManager.getConnection(place, url.getUserInfo(), "")) {
      switch (args[0]) {
        case "setup" -> {
          try (Statement statement = database.createStatement()) {
            statement.execute("create table invoices (number text primary key); " + Outbox.TABLE);
          }
        }
        case "add" -> {
          database.setAutoCommit(false);
          for (String key : List.of(args).subList(2, args.length)) {
            add(database, args[1], key);
          }
        }
        default -> System.out.println(Acuse.fromEnv().sendOutbox(database, 100));
      }
    }
  }

  private static void add(Connection database, String to, String key) throws SQLException {
    String invoice = "insert into invoices (number) values (?) on conflict do nothing";
    try (PreparedStatement statement = database.prepareStatement(invoice)) {
      statement.setString(1, key);
      statement.executeUpdate();
    }
    Send message =
        Send.builder("billing@sandbox.test", to).subject("Invoice " + key).text("Hello.").build();
    Outbox.add(database, message, key);
    database.commit();
  }
}

package dev.acuse.examples;

import dev.acuse.Acuse;
import dev.acuse.model.Send;

/** The first program of the README; ReadmeTest compares the two and runs it. */
public final class First {
  /**
   * Sends one message.
   *
   * @param arguments none
   */
  public static void main(String[] arguments) {
    send(Acuse.fromEnv());
  }

  /**
   * Sends one message.
   *
   * @param acuse a client
   */
  public static void send(Acuse acuse) {
    var message =
        Send.builder("billing@sandbox.test", "delivered@sandbox.test")
            .subject("Invoice 1")
            .text("Hello.")
            .build();
    var sent = acuse.messages().send(message, "invoice-1");
    System.out.println(sent.message().id() + " " + sent.replayed());
  }
}

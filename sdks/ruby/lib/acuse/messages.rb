# frozen_string_literal: true

module Acuse
  # Outcome of a send. `replayed?`: the key had been used for this message before, and nothing was sent now;
  # with several `attempts` it usually means that the first had got through.
  Sent = Struct.new(:message, :replayed, :idempotency_key, :attempts, :response, keyword_init: true) do
    # @return [Boolean]
    def replayed? = replayed

    # @return [String, nil] what the server calls the request
    def request_id = response.request_id
  end

  module Resources
    # Operations of messages. The method that sends is `send_message`: `send` is Object's.
    class Messages
      # Sends a message. With `idempotency_key`, calling again with the same message sends nothing twice, however
      # often and from wherever; without it a key is made, which protects this call's own retries and no other. A
      # job that may run twice needs a key of its own.
      # @param message [Hash, Types::Send] from, to, subject, text, html, …
      # @param idempotency_key [String, nil] 1 to 255 printable ASCII characters
      # @return [Sent]
      # @raise [Error] its `idempotency_key` is the one to try again with
      def send_message(message, idempotency_key = nil)
        sent(OPERATIONS.fetch('sendMessage'), idempotency_key, body: message)
      end

      # Sends a message that is composed already.
      # @param content [String] the bytes of a message/rfc822
      # @return [Sent]
      def send_raw(content, idempotency_key = nil)
        sent(OPERATIONS.fetch('sendRawMessage'), idempotency_key, body: content)
      end

      # Sends a message again, as a new one, to the same recipient.
      # @return [Sent]
      def resend(id, idempotency_key = nil)
        sent(OPERATIONS.fetch('resendMessage'), idempotency_key, path: { 'id' => id })
      end

      # Sends any number of messages, in as many requests as they need. Items without `idempotency_key` get one.
      # It never raises for single items.
      # @param items [Enumerable<Hash, Types::BatchItem>]
      # @return [Array<Batch::Sent, Batch::Failed>] one for each item, in order
      def send_batch(items) = Batch.new(@core).run(items)

      private

      def sent(operation, key, path: {}, body: nil)
        key = checked_key(key)
        answer = answer(operation, path: path, body: body, headers: { 'idempotency-key' => key })
        Sent.new(
          message: answer.value, replayed: answer.headers['idempotent-replayed'] == 'true',
          idempotency_key: key, attempts: answer.attempts, response: answer.info
        ).freeze
      end
    end
  end
end

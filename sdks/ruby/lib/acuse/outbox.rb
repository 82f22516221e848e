# frozen_string_literal: true

module Acuse
  # The outbox: messages that are written in the caller's own transaction and sent afterwards, each once. The
  # database is PostgreSQL. A connection is a PG::Connection: that of ActiveRecord is `connection.raw_connection`.
  module Outbox
    # Characters of an error that the table keeps.
    ERROR_MAX_CHARS = 1_000
    private_constant :ERROR_MAX_CHARS

    # Writes and reads rows.
    # @private
    class Sender < Resource
      def add(connection, message, key)
        raise ConfigurationError, 'A message of the outbox needs a key.' if key.nil?

        bytes = body_bytes(OPERATIONS.fetch('sendMessage'), message)
        connection.exec_params(ADD, [checked_key(key), bytes.force_encoding('UTF-8')]).cmd_tuples == 1
      end

      def send_due(connection, limit)
        limit.times do |ended|
          id, key, message, attempts = connection.exec_params(CLAIM, []).values.first
          return ended if id.nil?

          came = attempt(key, message)
          connection.exec_params(RECORD, [*came, id, attempts])
          # A cause such as a service that is down would make the next wait too.
          return ended if came.first == 'waiting'
        end
        limit
      end

      private

      # The bytes are those of the row: whoever sends it again, in whatever language, sends the same.
      # @return [Array] state, message id, error, seconds to wait
      def attempt(key, message)
        operation = OPERATIONS.fetch('sendMessage')
        answer = Call.new(@core, operation, headers: { 'idempotency-key' => key }, body: message.b).run
        ['sent', answer.value.id, nil, 0]
      rescue ApiError => e
        return ['sent', nil, nil, 0] if e.code == ACCEPTED

        refused = REFUSED.include?(e.status) && !e.code.start_with?('http_')
        [refused ? 'refused' : 'waiting', nil, "#{e.code}: #{e.message}"[0, ERROR_MAX_CHARS], e.retry_after || 0]
      rescue Error => e
        ['waiting', nil, e.message[0, ERROR_MAX_CHARS], 0]
      end
    end
    private_constant :Sender

    # Writes a message and its key into the outbox, in the transaction that the connection is in: if that is rolled
    # back, nothing is sent. {Client#send_outbox} sends it.
    # @param message [Hash, Types::Send] from, to, subject, text, html, …
    # @return [Boolean] false: the key is in the outbox already, and nothing was written
    # @raise [ConfigurationError]
    def self.add(connection, message, idempotency_key)
      Sender.new(nil).add(connection, message, idempotency_key)
    end

    # Behind {Client#send_outbox}.
    # @private
    def self.send_due(core, connection, limit) = Sender.new(core).send_due(connection, limit)
  end
end

# frozen_string_literal: true

require 'securerandom'

module Acuse
  # Common to all resources of a client.
  class Resource
    # @private
    def initialize(core)
      @core = core
    end

    def inspect = "#<#{self.class}>"

    private

    def call(operation, path: {}, query: {}, body: nil, headers: {})
      answer(operation, path: path, query: query, body: body, headers: headers).value
    end

    # @return [Answer]
    def answer(operation, path: {}, query: {}, body: nil, headers: {}, sink: nil, rewind: nil)
      Call.new(
        @core, operation,
        path: path, query: query, headers: headers, body: body_bytes(operation, body), sink: sink, rewind: rewind
      ).run
    end

    def list_of(operation, path: {}, query: {})
      List.new(query) { |asked| call(operation, path: path, query: asked) }
    end

    # Made once for all attempts.
    def body_bytes(operation, body)
      return nil if body.nil?
      return body.b if body.is_a?(String) && operation.media != 'application/json'

      JSON.generate(Codec.encode(body)).b
    rescue JSON::GeneratorError, JSON::NestingError, EncodingError => e
      raise ConfigurationError, "The request cannot be written as JSON: #{e.message}"
    end

    # A key of the caller's, or one that protects this call alone.
    def checked_key(key)
      return "auto_#{SecureRandom.uuid}" if key.nil?
      return key if key.is_a?(String) && key.match?(/\A[ -~]{1,255}\z/)

      raise ConfigurationError, 'An idempotency key is 1 to 255 printable ASCII characters.'
    end
  end
end

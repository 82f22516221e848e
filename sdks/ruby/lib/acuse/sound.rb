# frozen_string_literal: true

require 'json'

module Acuse
  # JSON that every language reads as the same.
  module Sound
    # Levels of an answer.
    DEPTH = 64
    TEXT = /"[^"\\]*+(?:\\.[^"\\]*+)*+"/m
    LONG_NUMBER = /[-+.0-9eE]{65}/
    SURROGATE = /\\u[dD][89a-fA-F]/
    private_constant :DEPTH, :TEXT, :LONG_NUMBER, :SURROGATE

    class << self
      # Refuses what is no JSON, half of a surrogate pair, a level beyond the 64th and a number of more than 64
      # characters. RFC 7493 §2.1
      # @param text [String] UTF-8
      # @raise [JSON::ParserError]
      def parse(text)
        # Before it is read: the digits of an Integer take their square in time.
        raise JSON::ParserError, 'a number is too long' if text.gsub(TEXT, '""').match?(LONG_NUMBER)

        value = JSON.parse(text, max_nesting: DEPTH)
        raise JSON::ParserError, 'half of a surrogate pair' if text.match?(SURROGATE) && !whole?(value)

        value
      end

      private

      def whole?(value)
        case value
        when String then value.valid_encoding?
        when Array then value.all? { |each| whole?(each) }
        when Hash then value.all? { |name, each| whole?(name) && whole?(each) }
        else true
        end
      end
    end
  end
end

# frozen_string_literal: true

require 'digest'

module Acuse
  module Verifier
    # A check that does not hold.
    # @private
    class Refused < StandardError
      attr_reader :check

      def initialize(check, detail)
        super(detail)
        @check = check
      end
    end

    # Something that this library cannot judge.
    # @private
    class NotChecked < StandardError; end

    # The parts of every check: refusals, fields, openings. docs/evidence-format.md, section 1.
    # @private
    module Checking
      MAX_NESTING = 32
      MAX_INTEGER = (2**53) - 1
      HEX = /\A[0-9a-f]{64}\z/
      UUID = /\A[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\z/
      TIME = /\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\z/

      module_function

      # @raise [Refused]
      def need(condition, check, detail)
        raise Refused.new(check, detail) unless condition
      end

      # Hex of SHA-256. RFC 6234 §4.1
      def sha256(data) = Digest::SHA256.hexdigest(data)

      # JSON, each key once.
      # @raise [Refused]
      def read_json(data, check)
        StrictJson.parse(data)
      rescue StrictJson::Invalid => e
        raise Refused.new(check, "not JSON that reads one way: #{e.message}")
      end

      # Reads bytes that must be the canonical form of their own value.
      # @raise [Refused]
      def read_canonical(data, check)
        value = read_json(data, check)
        judge(value, 1, check)
        need(StrictJson.canonical(value).b == data.b, check, 'not canonical JSON')
        value
      end

      def judge(value, depth, check)
        need(depth <= MAX_NESTING, check, "nested deeper than #{MAX_NESTING}")
        case value
        when Integer then need(value.abs <= MAX_INTEGER, check, 'a number that is too large')
        when Array then value.each { |each| judge(each, depth + 1, check) }
        when Hash
          need(value.each_key.all?(&:ascii_only?), check, 'a key that is not ASCII')
          value.each_value { |each| judge(each, depth + 1, check) }
        end
      end

      # An object with exactly these fields.
      # @raise [Refused]
      def fields(value, check, required, optional = [])
        need(value.is_a?(Hash), check, 'not an object')
        missing, = required - value.keys
        need(missing.nil?, check, "#{missing} is missing")
        unknown, = value.keys - required - optional
        need(unknown.nil?, check, "the field #{unknown.to_s[0, 40].inspect} is not known")
        value
      end

      # @raise [Refused]
      def text(value, check, form = nil)
        need(value.is_a?(String), check, 'not text')
        need(form.nil? || value.match?(form), check, 'text of another form')
        value
      end

      # A time that exists, as milliseconds since 1970.
      # @raise [Refused]
      def moment(value, check)
        text(value, check, TIME)
        need(!value.start_with?('0000'), check, 'not a time')
        time = Time.utc(*value.scan(/[0-9]+/).first(6).map(&:to_i))
        need(time.strftime('%Y-%m-%dT%H:%M:%S') == value[0, 19], check, 'not a time')
        (time.to_i * 1_000) + value[20, 3].to_i
      rescue ArgumentError
        raise Refused.new(check, 'not a time')
      end

      # Milliseconds since 1970, as the format writes times.
      def told(moment)
        "#{Time.at(moment.div(1_000)).utc.strftime('%Y-%m-%dT%H:%M:%S')}.#{format('%03d', moment % 1_000)}Z"
      end

      # A number from 0.
      # @raise [Refused]
      def whole(value, check)
        need(value.is_a?(Integer) && value >= 0, check, 'not a whole number')
        value
      end

      # @raise [Refused]
      def list(value, check, most)
        need(value.is_a?(Array) && value.length <= most, check, 'not a list, or too long')
        value
      end

      # A salt, a hash, and further fields.
      # @raise [Refused]
      def opening(value, check, more = [])
        fields(value, check, %w[salt sha256] + more)
        text(value['salt'], check, HEX)
        text(value['sha256'], check, HEX)
        value
      end

      # Do salt and hash make the commitment?
      def opened?(opening, commitment)
        sha256([opening['salt'] + opening['sha256']].pack('H*')) == commitment
      end
    end
  end
end

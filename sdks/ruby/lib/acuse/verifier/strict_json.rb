# frozen_string_literal: true

module Acuse
  module Verifier
    # JSON with one reading: UTF-8, each key once, whole numbers alone. RFC 8259 §2
    # @private
    class StrictJson
      # These bytes are something else.
      class Invalid < StandardError; end

      # Beyond every document of the format.
      MAX_DEPTH = 64
      MAX_DIGITS = 20
      SPACE = /[ \t\n\r]*/n
      SPECIAL = /["\\\x00-\x1f]/n
      NUMBER = /-?(?:0|[1-9][0-9]*)/n
      ESCAPES = {
        '"' => '"', '\\' => '\\', '/' => '/', 'b' => "\b", 'f' => "\f", 'n' => "\n", 'r' => "\r", 't' => "\t"
      }.freeze
      WRITTEN = {
        '"' => '\\"', '\\' => '\\\\', "\b" => '\\b', "\f" => '\\f', "\n" => '\\n', "\r" => '\\r', "\t" => '\\t'
      }.freeze
      WORDS = { 'true' => true, 'false' => false, 'null' => nil }.freeze

      # @raise [Invalid]
      def self.parse(data)
        raise Invalid, 'not UTF-8' unless data.dup.force_encoding(Encoding::UTF_8).valid_encoding?

        new(data.b).document
      end

      # RFC 8785 §3, of what the format's documents hold: ASCII keys, text, whole numbers, booleans, null.
      def self.canonical(value)
        case value
        when Hash then "{#{value.sort.map { |key, each| "#{quoted(key)}:#{canonical(each)}" }.join(',')}}"
        when Array then "[#{value.map { |each| canonical(each) }.join(',')}]"
        when String then quoted(value)
        when nil then 'null'
        else value.to_s
        end
      end

      def self.quoted(text)
        escaped = text.gsub(/["\\\u0000-\u001f]/) { |each| WRITTEN[each] || format('\\u%04x', each.ord) }
        "\"#{escaped}\""
      end

      # @param data [String] binary
      def initialize(data)
        @data = data
        @at = 0
      end

      def document
        value = read(0)
        skip
        invalid('bytes behind it') if @at < @data.bytesize
        value
      end

      private

      def invalid(what) = raise(Invalid, "#{what} at byte #{@at}")

      def skip = @at += @data.match(SPACE, @at).to_s.bytesize

      def read(depth)
        invalid('nested too deep') if depth > MAX_DEPTH
        skip
        case @data[@at]
        when '{' then object(depth)
        when '[' then array(depth)
        when '"' then string
        when 't', 'f', 'n' then word
        else number
        end
      end

      def object(depth)
        found = {}
        members('}') do
          skip
          invalid('no key') unless @data[@at] == '"'
          key = string
          invalid('a key that occurs twice') if found.key?(key)
          skip
          invalid('no colon') unless take(':')
          found[key] = read(depth + 1)
        end
        found
      end

      def array(depth)
        found = []
        members(']') { found << read(depth + 1) }
        found
      end

      # The text between commas up to the end.
      def members(ends)
        @at += 1
        skip
        return if take(ends)

        loop do
          yield
          skip
          return if take(ends)

          invalid('no comma') unless take(',')
        end
      end

      def take(byte)
        return false unless @data[@at] == byte

        @at += 1
        true
      end

      def word
        name = WORDS.keys.find { |each| @data.byteslice(@at, each.bytesize) == each }
        invalid('no value') if name.nil?
        @at += name.bytesize
        WORDS.fetch(name)
      end

      def number
        digits = @data.byteslice(@at, MAX_DIGITS + 2)[/\A#{NUMBER}/on]
        invalid('no value') if digits.nil?
        invalid('a number that is too long') if digits.bytesize > MAX_DIGITS
        @at += digits.bytesize
        invalid('no whole number') if ['.', 'e', 'E'].include?(@data[@at])
        digits.to_i
      end

      def string
        @at += 1
        found = String.new(encoding: Encoding::BINARY)
        loop do
          stop = @data.index(SPECIAL, @at) || invalid('a text without an end')
          found << @data.byteslice(@at, stop - @at)
          @at = stop + 1
          case @data[stop]
          when '"' then return found.force_encoding(Encoding::UTF_8)
          when '\\' then found << escape
          else invalid('a control character')
          end
        end
      end

      def escape
        kind = @data[@at]
        @at += 1
        return ESCAPES[kind] || invalid('no escape') unless kind == 'u'

        unit = code_unit
        return [unit].pack('U').b unless unit.between?(0xd800, 0xdfff)

        invalid('half a character') unless unit < 0xdc00 && @data.byteslice(@at, 2) == '\\u'
        @at += 2
        low = code_unit
        invalid('half a character') unless low.between?(0xdc00, 0xdfff)
        [0x10000 + ((unit - 0xd800) << 10) + low - 0xdc00].pack('U').b
      end

      def code_unit
        digits = @data.byteslice(@at, 4)
        invalid('no escape') unless digits&.match?(/\A[0-9A-Fa-f]{4}\z/n)
        @at += 4
        digits.to_i(16)
      end
    end
  end
end

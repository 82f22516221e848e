# frozen_string_literal: true

module Acuse
  module Verifier
    # Values of MIME header fields, read as a mail program would. RFC 2045 §5.1, RFC 2047 §2, RFC 2231 §3
    # @private
    module MimeHeader
      # Bytes of one field that are looked at.
      MAX_FIELD = 8192
      # White space of the format's texts.
      WS = '\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'
      TOKEN = /"(?:[^"\\]|\\[^\n\r\u2028\u2029])*"?|\([^()]*\)|[;=]|[^#{WS};="()]+/
      WORD = /=\?([^?*#{WS}]+)(?:\*[^?#{WS}]*)?\?([BbQq])\?([^?#{WS}]*)\?=/
      AS_UTF8 = %w[utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8].freeze
      # Its labels: encoding.spec.whatwg.org.
      AS_WINDOWS = %w[
        ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1
        iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252
      ].freeze
      WINDOWS_1252 = (0..255).map do |byte|
        byte.chr.force_encoding(Encoding::WINDOWS_1252).encode(Encoding::UTF_8)
      rescue Encoding::UndefinedConversionError
        [byte].pack('U')
      end.freeze

      module_function

      # A field's text behind its colon: UTF-8 if it is, Latin-1 if not.
      def field_text(raw)
        value = raw.partition(':').last.byteslice(0, MAX_FIELD).force_encoding(Encoding::UTF_8)
        value = value.force_encoding(Encoding::ISO_8859_1).encode(Encoding::UTF_8) unless value.valid_encoding?
        trim(value.gsub("\r\n", ''))
      end

      def trim(text) = text.sub(/\A[#{WS}]+/o, '').sub(/(?<![#{WS}])[#{WS}]+\z/o, '')

      # A value and its parameters, decoded; of two with one name the first.
      # @raise [NotChecked]
      def parameters(text)
        words = text.scan(TOKEN).reject { |each| each.start_with?('(') }
        value = words.take_while { |each| each != ';' }.join.downcase
        raw = {}
        words.each_index do |at|
          next unless words[at] == ';' && words[at + 2] == '='

          content = words.drop(at + 3).take_while { |each| each != ';' }
          raw[words[at + 1].downcase] ||= content.map { |each| unquote(each) }.join
        end
        [value, decoded(raw)]
      end

      def unquote(word)
        return word unless word.start_with?('"')

        word.delete_prefix('"').delete_suffix('"').gsub(/\\([^\n\r\u2028\u2029])/, '\1')
      end

      def decoded(raw)
        raw.keys.map { |each| each.split('*', 2).first.to_s }.uniq.each_with_object({}) do |name, found|
          value = decoded_one(name, raw)
          found[name] = value unless value.nil?
        end
      end

      def decoded_one(name, raw)
        if raw.key?("#{name}*")
          set, text = extended(raw["#{name}*"])
          charset(percent(text), set)
        elsif raw.key?("#{name}*0") || raw.key?("#{name}*0*") then joined(name, raw)
        elsif raw.key?(name) then words(raw[name])
        end
      end

      # RFC 2231 §3
      def joined(name, raw)
        set = ''
        data = String.new(encoding: Encoding::BINARY)
        (0..).each do |number|
          long = raw["#{name}*#{number}*"]
          plain = raw["#{name}*#{number}"]
          break if long.nil? && plain.nil?

          set, long = extended(long) if number.zero? && long
          data << (long.nil? ? plain.b : percent(long))
        end
        charset(data, set.empty? ? 'utf-8' : set)
      end

      # Charset and text. RFC 2231 §4
      def extended(value)
        parts = value.split("'", 3)
        parts.length == 3 ? [parts[0], parts[2]] : ['utf-8', value]
      end

      def percent(text) = text.b.gsub(/%[0-9A-Fa-f]{2}/n) { |each| each.byteslice(1, 2).to_i(16).chr }

      # Encoded words; white space between two of them is not shown. RFC 2047 §6.2
      def words(text)
        return text unless text.include?('=?')

        text.gsub(/(\?=)[#{WS}]+(?==\?)/o, '\1').gsub(WORD) do
          set, kind, body = Regexp.last_match.captures
          charset(kind.casecmp?('b') ? base64(body.b) : quoted_printable(body.b.tr('_', ' ')), set)
        end
      end

      # Text of bytes.
      # @raise [NotChecked] a charset that Ruby and the format may read differently
      def charset(data, label)
        name = label.gsub(/\A[ \t\r\n\f]+|(?<![ \t\r\n\f])[ \t\r\n\f]+\z/, '').downcase
        return data.dup.force_encoding(Encoding::UTF_8).scrub("\ufffd") if name.empty? || AS_UTF8.include?(name)
        return data.each_byte.map { |byte| WINDOWS_1252[byte] }.join if AS_WINDOWS.include?(name)

        raise NotChecked, "a text in the charset #{label[0, 40].inspect}"
      end

      # Everything outside the alphabet is skipped, padding ends it. RFC 2045 §6.8
      def base64(data)
        letters = data.partition('=').first.delete('^A-Za-z0-9+/')
        letters = letters.byteslice(0, letters.bytesize - 1) if letters.bytesize % 4 == 1
        letters.unpack1('m')
      end

      # RFC 2045 §6.7
      def quoted_printable(data)
        data.split(/(\r\n|\r|\n)/n, -1).each_slice(2).map do |line, ends|
          line = line.sub(/(?<![ \t])[ \t]+\z/n, '')
          if line.end_with?('=') && ends != "\r"
            line = line.byteslice(0, line.bytesize - 1)
            ends = nil
          end
          line.gsub(/=[0-9A-Fa-f]{2}/n) { |each| each.byteslice(1, 2).to_i(16).chr } + ends.to_s
        end.join
      end
    end
  end
end

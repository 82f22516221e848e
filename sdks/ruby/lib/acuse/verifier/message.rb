# frozen_string_literal: true

module Acuse
  module Verifier
    # The layers of a message: docs/evidence-format.md, section 2.
    # @private
    module Message
      MAX_FIELDS = 2000
      MAX_ENTITIES = 128
      MAX_NESTING = 20
      HEADER_FIELDS = %w[
        from to cc subject date message-id reply-to in-reply-to references mime-version content-type
        content-transfer-encoding service-evidence
      ].freeze
      # Charsets whose bytes are UTF-8 already.
      KEPT = ['', 'utf-8', 'utf8', 'us-ascii', 'ascii'].freeze
      KIND = %r{\A[a-z0-9!\#$&^_.+-]+/[a-z0-9!\#$&^_.+-]+\z}

      module_function

      def need(condition, detail) = Checking.need(condition, 'message_parts', detail)

      # Header fields, as name in lower case and the whole without its last CRLF, and body. A line that begins
      # with space or tab continues the one before it.
      # @raise [Refused]
      def split(message)
        found = []
        start = 0
        while start < message.bytesize
          ends = field_end(message, start)
          return [found, message.byteslice(start + 2..)] if ends == start

          need(found.length < MAX_FIELDS, "more than #{MAX_FIELDS} header fields")
          raw = message.byteslice(start, ends - start)
          found << [raw.include?(':') ? without_trailing(raw.partition(':').first).downcase : '', raw]
          start = ends + 2
        end
        [found, ''.b]
      end

      def field_end(message, start)
        ends = message.index("\r\n", start) || message.bytesize
        return ends if ends == start

        ends = message.index("\r\n", ends + 2) || message.bytesize while [' ', "\t"].include?(message[ends + 2])
        ends
      end

      # RFC 6376 §3.4.2, of the fields that are covered.
      def relaxed_header(message)
        fields, = split(message)
        HEADER_FIELDS.flat_map { |wanted| fields.select { |name, _| name == wanted } }.map do |name, raw|
          value = raw.partition(':').last.gsub("\r\n", '').gsub(/[ \t]+/n, ' ')
          "#{name}:#{value.delete_prefix(' ').delete_suffix(' ')}\r\n"
        end.join
      end

      # RFC 6376 §3.4.4
      def relaxed_body(message)
        _, body = split(message)
        lines = body.split("\r\n", -1).map { |line| line.gsub(/[ \t]+/n, ' ').delete_suffix(' ') }
        lines.pop while lines.last == ''
        lines.empty? ? '' : "#{lines.join("\r\n")}\r\n"
      end

      # The facts of each leaf part, in document order.
      # @raise [Refused]
      # @raise [NotChecked] a charset of others
      def parts(message)
        found = []
        collect(message, 0, found, [0])
        found
      end

      def collect(entity, depth, found, count)
        count[0] += 1
        need(count[0] <= MAX_ENTITIES, "more than #{MAX_ENTITIES} parts")
        fields, body = split(entity)
        kind, parameters = content_type(fields)
        boundary = kind.start_with?('multipart/') ? parameters.fetch('boundary', '') : ''
        return found << leaf(fields, kind, parameters, body) if boundary.empty?

        need(depth < MAX_NESTING, "nested deeper than #{MAX_NESTING}")
        children(body, "--#{boundary}".b).each { |child| collect(child, depth + 1, found, count) }
      end

      # The text between the delimiters. RFC 2046 §5.1.1
      def children(body, delimiter)
        parts = []
        begins = nil
        delimiters(body, delimiter) do |at, after, last|
          parts << body.byteslice(begins, [at - 2 - begins, 0].max) if begins
          need(parts.length <= MAX_ENTITIES, "more than #{MAX_ENTITIES} parts")
          return parts if last

          begins = after
        end
        parts << body.byteslice(begins..) if begins
        parts
      end

      # Where each line that is a delimiter begins, where the next line does, and whether it is the last.
      def delimiters(body, delimiter)
        at = 0
        while (at = body.index(delimiter, at))
          unless at.zero? || body[at - 1] == "\n"
            at += 1
            next
          end
          after = at + delimiter.bytesize
          ends = body.index("\n", after) || body.bytesize
          rest = body.byteslice(after...ends)
          if rest.match?(/\A(?:--)?[ \t]*(?:\r|\z)/n)
            yield at, [ends + 1, body.bytesize].min, rest.start_with?('--')
          end
          at = ends
        end
      end

      def field(fields, name)
        raw = fields.assoc(name)&.last
        raw && MimeHeader.field_text(raw)
      end

      # Unreadable or absent is text/plain. RFC 2045 §5.2
      def content_type(fields)
        kind, parameters = MimeHeader.parameters(field(fields, 'content-type') || 'text/plain')
        kind.match?(KIND) ? [kind, parameters] : ['text/plain', {}]
      end

      def leaf(fields, kind, parameters, body)
        _, disposition = MimeHeader.parameters(field(fields, 'content-disposition') || '')
        name = disposition.fetch('filename', parameters['name'])
        content = decoded(body, (field(fields, 'content-transfer-encoding') || '').downcase)
        content = text(content, parameters.fetch('charset', '')) if kind.start_with?('text/') && name.nil?
        {
          'filename' => name, 'media_type' => kind, 'sha256' => Checking.sha256(content), 'size' => content.bytesize
        }
      end

      def decoded(body, encoding)
        case encoding
        when 'base64' then MimeHeader.base64(body)
        when 'quoted-printable' then MimeHeader.quoted_printable(body)
        else body
        end
      end

      # LF at line ends, no white space before one nor at the end.
      def text(content, charset)
        content = MimeHeader.charset(content, charset).b unless KEPT.include?(charset.downcase)
        content.split(/\r\n|\r|\n/n, -1).map { |line| without_trailing(line) }.join("\n").then do |all|
          all.byteslice(0, (all.rindex(/[^ \t\n]/n) || -1) + 1)
        end
      end

      def without_trailing(line) = line.byteslice(0, (line.rindex(/[^ \t]/n) || -1) + 1)
    end
  end
end

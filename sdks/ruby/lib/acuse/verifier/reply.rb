# frozen_string_literal: true

require 'openssl'

module Acuse
  module Verifier
    # The mail by which a recipient acknowledges, and its DKIM signature. RFC 6376, RFC 8463
    # @private
    class Reply
      include Checking

      SIGNED = %w[from to subject].freeze
      MAX_SIGNATURES = 8
      # RFC 8301 §3.2
      MIN_RSA_BITS = 1024
      ADDRESS = %r{\A[A-Za-z0-9!\#$%&'*+/=?^_`\{|\}~.-]+@[A-Za-z0-9.-]+\z}
      FORM = %r{\A(relaxed|simple)?(?:/(relaxed|simple))?\z}

      # @param opened [Hash] the openings of the outcome
      # @raise [Refused]
      def initialize(mail, opened, check)
        @mail = mail.b
        @opened = opened
        @check = check
        @key = opened['facts']['value']['acknowledgement']['dkim']
        @fields, @body = Message.split(@mail)
      end

      # @param recipient [String, nil] nil where it is not opened
      # @raise [Refused]
      def check(message_id, recipient)
        came = @opened['facts']['value']['reported_by_mail']['sha256']
        need(came == @opened['dsn']['sha256'], @check, 'the mail is not kept as it came')
        values = SIGNED.to_h { |name| [name, value_of(name)] }
        place = "ack+#{message_id.delete('-')}-"
        own = one_address(values['to'], 'To').start_with?(place)
        need(own, @check, 'it goes to another address than that of this message')
        sender = one_address(values['from'], 'From')
        need(recipient.nil? || lower(recipient.b) == sender, @check, 'From is not the recipient')
        aligned = aligned?(lower(@key['domain'].b), sender.partition('@').last)
        need(aligned, @check, 'signed by another domain than that of From')
        held = named('dkim-signature').first(MAX_SIGNATURES).any? { |field| holds?(field) }
        need(held, @check, 'no signature holds under the key of the facts')
      end

      private

      def named(name) = @fields.select { |each, _| each == name }

      def value_of(name)
        found = named(name)
        need(found.length == 1, @check, "there is not one field #{name}")
        formed(found[0], true).byteslice(name.length + 1..)
      end

      # Of ASCII alone.
      def lower(text) = text.tr('A-Z', 'a-z')

      def one_address(value, name)
        bare = value.gsub(/"[^"]*"/n, '')
        before, open, rest = bare.partition('<')
        address = bare
        address = rest.end_with?('>') ? rest[0...-1] : '' unless open.empty?
        one = ADDRESS.match?(address) && (open.empty? || !before.match?(/[@,;:()<>]/n))
        need(one, @check, "#{name} is not one address")
        lower(address)
      end

      # The same domain, or one of the two is above the other; never one of a single label.
      def aligned?(signer, domain)
        return false unless signer.include?('.') && domain.include?('.')

        signer == domain || signer.end_with?(".#{domain}") || domain.end_with?(".#{signer}")
      end

      def holds?(field)
        name, raw = field
        start, _, value = raw.partition(':')
        tags = tags_of(value)
        forms = FORM.match(tags.fetch('c', ''))
        names = lower(tags.fetch('h', '')).split(':')
        return false unless forms && ours?(tags) && (SIGNED - names).empty?
        return false unless OpenSSL::Digest::SHA256.digest(body(forms[2])) == bytes(tags['bh'])

        own = value.sub(/(\A|;)([ \t\r\n]*b[ \t\r\n]*=)[^;]*/n, '\1\2')
        text = chosen(names, forms[1] == 'relaxed') + formed([name, "#{start}:#{own}"], forms[1] == 'relaxed')
        signed?(text, bytes(tags['b']))
      end

      def ours?(tags)
        of = [lower(tags.fetch('d', '')), tags['s'], tags['a']]
        of == @key.values_at('domain', 'selector', 'algorithm') && tags['v'] == '1' && !tags.key?('l')
      end

      # Repeated fields from the last one up, each once. RFC 6376 §5.4.2
      def chosen(names, relaxed)
        left = @fields.dup
        names.reject(&:empty?).map do |name|
          at = left.rindex { |each, _| each == name }
          at ? "#{formed(left.delete_at(at), relaxed)}\r\n" : ''.b
        end.join.b
      end

      # None for a value that is not ASCII or has a tag twice. RFC 6376 §3.2
      def tags_of(value)
        return {} if value.match?(/[^\x00-\x7e]/n)

        pairs = value.split(';').select { |part| part.include?('=') }.map { |part| part.split('=', 2) }
        pairs.map! { |name, text| [name.gsub(/\A[ \t\r\n\v\f]+|[ \t\r\n\v\f]+\z/, ''), text.gsub(/[ \t\r\n]+/, '')] }
        pairs.map(&:first).uniq.length == pairs.length ? pairs.to_h : {}
      end

      def body(form)
        form == 'relaxed' ? Message.relaxed_body(@mail) : "#{@body.sub(/(?:\r\n)+\z/n, '')}\r\n"
      end

      # Without the CRLF at its end.
      def formed(field, relaxed)
        name, raw = field
        return raw unless relaxed

        value = raw.partition(':').last.gsub("\r\n", '').gsub(/[ \t]+/n, ' ')
        "#{name}:#{value.delete_prefix(' ').delete_suffix(' ')}".b
      end

      # In its one spelling; nil for anything else.
      def bytes(text)
        text.to_s.unpack1('m0')
      rescue ArgumentError
        nil
      end

      def signed?(text, signature)
        public = bytes(@key['public_key'])
        return false if public.nil? || signature.nil?

        digest = OpenSSL::Digest::SHA256.digest(text)
        return Ed25519.signed?(public, signature, digest) if @key['algorithm'] == 'ed25519-sha256'

        key = OpenSSL::PKey::RSA.new(public)
        key.n.num_bits >= MIN_RSA_BITS && key.verify('SHA256', signature, text)
      rescue OpenSSL::PKey::PKeyError
        false
      end
    end
  end
end

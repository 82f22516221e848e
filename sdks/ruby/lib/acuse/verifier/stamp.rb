# frozen_string_literal: true

module Acuse
  module Verifier
    # The content of a time-stamp. Nothing of it is verified.
    # @private
    module Stamp
      OID = 0x06
      OCTETS = 0x04
      TIME = 0x18
      # DER: no trailing zeros, seconds always. RFC 3161 §2.4.2
      FORM = /\A([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})(?:\.([0-9]+))?Z\z/n

      module_function

      # Its genTime in milliseconds since 1970; nil for nothing, and for what cannot be read.
      def time(token)
        return nil if token.nil?

        info = children(token).first.getbyte(0) == OID ? token : children(token).fetch(1)
        signed = children(children(info).fetch(1)).first
        octets = children(children(children(signed).fetch(2)).fetch(1)).first
        return nil unless octets.getbyte(0) == OCTETS

        stated = children(OpenSSL::ASN1.decode(octets).value).fetch(4)
        stated.getbyte(0) == TIME ? moment(stated.byteslice(2..)) : nil
      rescue OpenSSL::OpenSSLError, ArgumentError, IndexError, NoMethodError, TypeError
        nil
      end

      # The elements in this one, in DER.
      def children(element)
        found = []
        OpenSSL::ASN1.traverse(element) do |depth, offset, header, length|
          found << element.byteslice(offset, header + length) if depth == 1
        end
        found
      end

      def moment(text)
        parts = FORM.match(text)&.captures
        return nil if parts.nil?

        time = Time.utc(*parts.first(6).map(&:to_i))
        (time.to_i * 1_000) + parts.last.to_s.ljust(3, '0')[0, 3].to_i
      end
    end
  end
end

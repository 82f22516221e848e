# frozen_string_literal: true

require 'openssl'

module Acuse
  # Ed25519 signatures, strictly: no key of small order, one spelling of each. RFC 8032 §5.1.7
  # @private
  module Ed25519
    P = (2**255) - 19
    # The y-coordinates of the points whose order divides 8. Under such a key anybody signs.
    SMALL_ORDER = [
      0, 1, P - 1,
      0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826,
      0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7
    ].freeze
    # SubjectPublicKeyInfo up to the key. RFC 8410 §4
    PREFIX = ['302a300506032b6570032100'].pack('H*').freeze

    module_function

    # May this be a public key: 32 bytes, y below p, no small order?
    def sound_key?(key)
      return false unless key.bytesize == 32

      y = key.reverse.unpack1('H*').to_i(16) & ((1 << 255) - 1)
      y < P && !SMALL_ORDER.include?(y)
    end

    # Did the key sign the message?
    def signed?(key, signature, message)
      return false unless sound_key?(key) && signature.bytesize == 64

      OpenSSL::PKey.read(PREFIX + key).verify(nil, signature, message)
    rescue OpenSSL::PKey::PKeyError
      false
    end
  end
end

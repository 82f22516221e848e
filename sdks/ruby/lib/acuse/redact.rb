# frozen_string_literal: true

module Acuse
  # Secrets never show in what is printed.
  module Redact
    API_KEY = /acuse_([A-Za-z0-9]{1,64})_[A-Za-z0-9_-]+/
    WEBHOOK_SECRET = %r{whsec_[A-Za-z0-9+/=_-]+}
    UNSHOWN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
    private_constant :API_KEY, :WEBHOOK_SECRET, :UNSHOWN

    # Without what would end a line, colour a terminal or turn a text around: somebody else may have written it.
    # @param text [String]
    def self.plain(text)
      text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace).scrub.gsub(UNSHOWN, "\u{fffd}")
    end

    # @param text [String]
    # @return [String] the same with the secret part of keys and webhook secrets in asterisks
    def self.call(text)
      text.gsub(API_KEY) { "acuse_#{Regexp.last_match(1)}_***" }.gsub(WEBHOOK_SECRET, 'whsec_***')
    end
  end
end

# frozen_string_literal: true

module Acuse
  # Secrets never show in what is printed.
  module Redact
    API_KEY = /acuse_([A-Za-z0-9]{1,64})_[A-Za-z0-9_-]+/
    WEBHOOK_SECRET = %r{whsec_[A-Za-z0-9+/=_-]+}
    private_constant :API_KEY, :WEBHOOK_SECRET

    # @param text [String]
    # @return [String] the same with the secret part of keys and webhook secrets in asterisks
    def self.call(text)
      text.gsub(API_KEY) { "acuse_#{Regexp.last_match(1)}_***" }.gsub(WEBHOOK_SECRET, 'whsec_***')
    end
  end
end

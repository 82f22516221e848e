# frozen_string_literal: true

require 'json'
require 'openssl'

module Acuse
  # A genuine delivery. `data` is a model where the type is known, else what came; `event_id` recognises repeats;
  # `replay_protected` is false for a delivery without a time; `raw` is the whole body.
  WebhookEvent = Struct.new(:type, :created_at, :data, :event_id, :replay_protected, :raw, keyword_init: true) do
    def inspect = Acuse::Redact.call("#<Acuse::WebhookEvent type=#{type.inspect} event_id=#{event_id.inspect}>")
    alias_method :to_s, :inspect
  end

  # Deliveries of webhooks.
  module Webhook
    # Seconds by which a delivery's time may differ from this clock.
    TOLERANCE = 300
    MAX_SIGNATURES = 10
    STAMPED = %w[webhook-id webhook-timestamp webhook-signature].freeze
    UNSTAMPED = %w[service-signature service-signature-previous].freeze
    RAW_BODY =
      'Pass the bytes of the request, not a parsed body: in Rails request.raw_post, in Rack and Sinatra ' \
      'request.body.read (rewind it first if something has read it).'
    private_constant :MAX_SIGNATURES, :STAMPED, :UNSTAMPED, :RAW_BODY

    class << self
      # @param body [String] the bytes of the request as they came
      # @param headers [#each] names in any case; a Rack environment too
      # @param secrets [String, Array<String>] the endpoint's, or both while a rotated one is still valid
      # @param accept_unstamped [Boolean] also takes a delivery that has Service-Signature alone: it has no time,
      #   so that whoever records one can repeat it for ever
      # @return [WebhookEvent]
      # @raise [WebhookError] its `reason` says why
      def verify(body, headers, secrets, tolerance: TOLERANCE, accept_unstamped: false, now: Time.now.to_i)
        raise WebhookError.new(:parsed_body, RAW_BODY) unless body.is_a?(String)

        body = body.b
        keys = keys_of(secrets)
        found = headers_of(headers)
        missing = STAMPED.reject { |name| found.key?(name) }
        unless missing.empty?
          check_unstamped(body, found, keys, missing, accept_unstamped)
          return event(body, nil, false)
        end
        id, timestamp, signatures = found.values_at(*STAMPED)
        check_time(timestamp, now, tolerance)
        unless signed?("#{id}.#{timestamp}.".b + body, signatures, keys)
          raise WebhookError.new(
            :no_match, 'No webhook-signature matches: check the secret, and that the body is passed as it came.'
          )
        end

        event(body, id, true)
      end

      private

      # Each secret as its text and as the bytes that it encodes.
      def keys_of(secrets)
        given = [secrets].flatten
        if given.empty?
          raise WebhookError.new(:bad_secret, 'There is no webhook secret: pass the one that the endpoint has.')
        end

        given.map do |secret|
          decoded = secret.is_a?(String) && secret.start_with?('whsec_') ? base64(secret[6..]) : nil
          if decoded.nil? || decoded.empty?
            raise WebhookError.new(:bad_secret, 'A webhook secret is whsec_ and base64: pass it as it was shown.')
          end

          [secret.b, decoded]
        end
      end

      # RFC 4648 §4
      def base64(text)
        text.unpack1('m0')
      rescue ArgumentError
        nil
      end

      def headers_of(headers)
        headers.each_with_object({}) do |(name, value), found|
          next if value.nil?

          plain = name.to_s.downcase
          plain = plain[5..].tr('_', '-') if plain.start_with?('http_')
          text = [value].flatten.join(' ')
          found[plain] = text unless text.empty?
        end
      end

      def check_time(timestamp, now, tolerance)
        unless timestamp.match?(/\A[0-9]{1,12}\z/)
          raise WebhookError.new(:malformed_header, 'webhook-timestamp is not a time in Unix seconds.')
        end

        age = now.to_i - timestamp.to_i
        if age > tolerance
          raise WebhookError.new(:too_old, "The delivery is #{age} s old: a replay, or this clock is fast.")
        end
        return if -age <= tolerance

        raise WebhookError.new(:too_new, "The delivery is #{-age} s in the future: check this clock.")
      end

      # Every signature is compared with every secret, whatever matches.
      def signed?(content, signatures, keys)
        given = signatures.split.first(MAX_SIGNATURES).grep(/\Av1,/) { |part| part.delete_prefix('v1,') }
        keys.product(given).reduce(false) do |matches, ((_, key), text)|
          expected = [OpenSSL::HMAC.digest('SHA256', key, content)].pack('m0')
          same?(expected, text) || matches
        end
      end

      def check_unstamped(body, found, keys, missing, accepted)
        given = found.values_at(*UNSTAMPED).compact
        if given.empty? || missing.length < STAMPED.length
          raise WebhookError.new(:missing_header, "#{missing.first} is missing: pass all headers of the request.")
        end

        unless accepted
          raise WebhookError.new(
            :unstamped,
            'The delivery has Service-Signature alone, which has no time: whoever recorded one could repeat it ' \
            'for ever. accept_unstamped: true takes it all the same.'
          )
        end
        matches = keys.product(given).reduce(false) do |found_one, ((key, _), text)|
          same?("sha256=#{OpenSSL::HMAC.hexdigest('SHA256', key, body)}", text) || found_one
        end
        return if matches

        raise WebhookError.new(
          :no_match, 'Service-Signature does not match: check the secret, and that the body is passed as it came.'
        )
      end

      # In constant time for texts of one length.
      def same?(expected, text)
        OpenSSL.secure_compare(expected.b, text.b)
      end

      def event(body, id, protected)
        raw = parsed(body)
        data = raw['data'] if raw.is_a?(Hash)
        unless data.is_a?(Hash) && raw['type'].is_a?(String) && raw['created_at'].is_a?(String)
          raise WebhookError.new(:malformed_body, 'The body is signed, but it is not an event.')
        end

        own = data['event_id']
        WebhookEvent.new(
          type: raw['type'], created_at: raw['created_at'], data: data_of(raw['type'], data),
          event_id: id || (own.is_a?(String) ? own : nil), replay_protected: protected, raw: raw
        ).freeze
      end

      def parsed(body)
        text = body.dup.force_encoding(Encoding::UTF_8)
        raise WebhookError.new(:malformed_body, 'The body is signed, but it is not UTF-8.') unless text.valid_encoding?

        JSON.parse(text)
      rescue JSON::ParserError
        raise WebhookError.new(:malformed_body, 'The body is signed, but it is not JSON.')
      end

      # Only type, created_at and data.message_id are promised: what does not fit arrives as it came.
      def data_of(type, data)
        name = EVENT_DATA[type]
        name.nil? ? data : Codec.decode([:ref, name], data, type)
      rescue Codec::Undecodable
        data
      end
    end
  end
end

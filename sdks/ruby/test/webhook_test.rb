# frozen_string_literal: true

require 'support'

# contract/vectors/webhooks.json
class WebhookTest < Minitest::Test
  CASES = vectors('webhooks.json')['cases']

  def verify(given, **changes)
    Acuse::Webhook.verify(
      given['body'], given['headers'], given['secrets'],
      tolerance: given['tolerance'], now: given['now'], accept_unstamped: given['accept_unstamped'], **changes
    )
  end

  CASES.each_with_index do |given, index|
    define_method("test_#{index}_#{given['name']}") do
      if given['out']['reason']
        error = assert_raises(Acuse::WebhookError) { verify(given) }
        assert_equal given['out']['reason'], error.reason.to_s
      else
        event = verify(given)
        found = { 'type' => event.type, 'created_at' => event.created_at, 'data' => Acuse::Codec.encode(event.data),
                  'event_id' => event.event_id, 'replay_protected' => event.replay_protected }
        assert given['out']['event'] == found, found.inspect
      end
    end
  end

  def test_a_parsed_body_is_refused_with_the_setting_that_gives_the_bytes
    real = assert_raises(Acuse::WebhookError) { Acuse::Webhook.verify({ 'type' => 'x' }, {}, 'whsec_AAAA') }
    assert_equal :parsed_body, real.reason
    assert_includes real.message, 'raw_post'
  end

  def test_takes_the_headers_of_a_rack_environment
    given = CASES.first
    rack = given['headers'].transform_keys { |name| "HTTP_#{name.upcase.tr('-', '_')}" }
    assert_equal 'email.queued', verify(given.merge('headers' => rack)).type
  end
end

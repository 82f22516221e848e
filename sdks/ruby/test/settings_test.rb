# frozen_string_literal: true

require_relative 'support'

# contract/vectors/client-settings.json: to which address, and through which proxy.
class SettingsTest < Minitest::Test
  FILE = vectors('client-settings.json')
  NAMES = %w[ACUSE_URL ACUSE_BASE_URL].freeze

  def test_the_address_is_the_one_that_was_named
    before = ENV.to_h.slice(*NAMES)
    FILE['addresses'].each do |test|
      NAMES.each { |name| ENV[name] = test['env'][name] }
      if test['out'].nil?
        error = assert_raises(Acuse::ConfigurationError) { options(test['given']) }
        assert_includes error.message, 'ACUSE_URL'
      else
        assert_equal test['out'], options(test['given']).url.to_s
      end
    end
  ensure
    NAMES.each { |name| ENV[name] = before[name] }
  end

  def test_an_address_that_is_none_says_where_it_is_set
    %w[mail.example.com u:secret@x https://u:secret@x https://u:secret/@x:y].each do |given|
      error = assert_raises(Acuse::ConfigurationError) { options(given) }
      assert_includes error.message, 'base_url, or ACUSE_URL'
      refute_includes error.full_message(highlight: false), 'secret'
    end
  end

  def test_an_option_that_is_none_is_told_with_those_that_there_are
    error = assert_raises(Acuse::ConfigurationError) { Acuse::Client.new(url: 'https://mail.example.com') }
    assert_match(/: url\. There are: api_key, base_url, max_retries,.* deadline,/, error.message)
  end

  def test_the_proxy_is_one_of_https
    FILE['proxies'].each do |test|
      found =
        begin
          options(test['address']).environment_proxy(test['env'])
        rescue Acuse::ConfigurationError
          'refused'
        end
      next assert_nil(found, test) if test['out'].nil?

      assert_equal test['out'], found, test
    end
  end

  def test_a_proxy_sees_no_key_in_plain_http
    plain = { api_key: 'acuse_a_b', base_url: 'http://localhost:8025', proxy: 'http://proxy.example.com:3128' }
    assert_raises(Acuse::ConfigurationError) { Acuse::Client.new(**plain) }
    Acuse::Client.new(**plain, allow_insecure: true)
  end

  private

  def options(base_url)
    given = { api_key: 'acuse_a_b', base_url: base_url, allow_insecure: true }
    Acuse::Options.new(given.compact)
  end
end

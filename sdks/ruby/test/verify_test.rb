# frozen_string_literal: true

require 'stringio'
require 'time'
require 'support'

# Bundles, against contract/vectors
class VerifyTest < Minitest::Test
  BUNDLES = File.join(VECTORS, 'bundles')
  GOOD = File.join(BUNDLES, 'good/sealed.zip')
  TRUST = Acuse::Verifier::TRUST_BUNDLE
  # Checks that this library leaves out, by the last word of a check's name.
  LEFT_OUT = %w[renewal timestamp message_timestamp times revocation].freeze
  # Names of checks of a time-stamp, which level 1 does not make.
  OF_TIME = /(?:\A|\.)(?:renewal|revocation|(?:message_)?timestamp)(?:\z|[._])/

  def verify(data, policy: TRUST, **more)
    Acuse::Verifier.verify(StringIO.new(data), policy: policy, **more)
  end

  def judged(file, now = nil, policy: TRUST)
    Acuse::Verifier.verify(File.join(BUNDLES, file), policy: policy, now: now && Time.iso8601(now))
  rescue Acuse::VerifyError
    nil
  end

  def names(list) = list.map(&:name)

  def test_every_broken_bundle_is_rejected_but_for_its_time_stamps
    broken = vectors('bundles.json')['cases'].reject { |each| each['valid'] }
    assert_operator broken.length, :>=, 161
    broken.each do |each|
      report = judged(each['file'], each['now'])
      next assert_equal(['bundle'], each['failed'], each['file']) if report.nil?

      refute_predicate report, :valid?, each['file']
      first = report.failed.first
      if first.nil?
        assert_match OF_TIME, each['failed'].first, each['file']
        assert_equal :unproven, report.verdict, each['file']
      else
        assert_equal [:rejected, first.name], [report.verdict, report.reasons.first.name], each['file']
        assert_equal each['failed'].first, first.name, each['file']
        assert_empty report.warnings, each['file']
      end
    end
  end

  def test_good_bundles_are_not_rejected_and_say_what_was_not_checked
    good = vectors('bundles.json')['cases'].select { |each| each['valid'] }
    assert_operator good.length, :>=, 37
    good.each do |each|
      report = judged(each['file'], each['now'])
      assert_equal [:unproven, false, :bundle], [report.verdict, report.valid?, report.trust], each['file']
      assert_equal told(each['reasons'], 1), names(report.reasons), each['file']
      assert_equal warned(each), names(report.warnings), each['file']
      assert_empty report.failed, each['file']
      unchecked = names(report.unchecked).map { |name| name.split('.').last }
      assert_includes unchecked, 'timestamp', each['file']
      assert_empty unchecked - LEFT_OUT, each['file']
    end
  end

  def test_tells_of_second_signatures_that_it_does_not_check
    cases = vectors('bundles.json')['mldsa44']
    assert_operator cases.length, :>=, 5
    cases.each do |each|
      report = judged(each['file'], each['now'])
      told = [report.verdict.to_s, names(report.warnings)]
      assert_equal each['unchecked'].values_at('verdict', 'warnings'), told, each['file']
    end
  end

  # Revocation data is not read.
  def warned(expected) = expected['warnings'] - ['revoked_later']

  # Without time-stamps nobody knows whose they are.
  def told(reasons, before) = (reasons - ['development']).insert(before, 'not_checked')

  def test_pinned_the_verdict_is_that_of_your_policy
    # With those of the bundle taken knowingly only the command line verifies.
    pinned = vectors('bundles.json')['pinned'].reject { |each| each['policy'] == 'bundle' }
    assert_operator pinned.length, :>=, 10
    pinned.each do |each|
      report = judged(each['file'], each['now'], policy: Acuse::Verifier::Policy.from_h(each['policy']))
      rejected = each['verdict'] == 'rejected'
      assert_equal rejected ? :rejected : :incomplete, report.verdict, each['file']
      assert_equal rejected ? each['reasons'] : told(each['reasons'], 0), names(report.reasons), each['file']
      assert_equal warned(each), names(report.warnings), each['file']
    end
  end

  def test_asks_the_clock_that_is_given_and_else_the_systems
    case_of = ->(name) { vectors('bundles.json')['cases'].find { |each| each['file'] == name } }
    future = case_of.call('broken/times-future-seal.zip')
    later = (Time.iso8601(future['now']) + 1).iso8601(3)
    assert_equal ['times'], names(judged(future['file'], future['now']).failed)
    [later, nil].each { |now| assert_empty judged(future['file'], now).failed }
  end

  def test_reads_the_time_of_tokens
    files = Acuse::Verifier::Container.read(File.binread(GOOD))
    stated = Acuse::Verifier::Stamp.time(files['constancia.tsr'])
    assert_equal '2026-03-04', Acuse::Verifier::Checking.told(stated)[0, 10]
    [nil, '', "\0", '0', files['constancia.tsr'].byteslice(0, 99)].each do |data|
      assert_nil Acuse::Verifier::Stamp.time(data)
    end
    { '20260304050607Z' => 0, '20260304050607.5Z' => 500, '20260304050607.98765Z' => 987 }.each do |text, rest|
      assert_equal rest, Acuse::Verifier::Stamp.moment(text) % 1_000
    end
  end

  def test_knows_trees_that_a_log_never_published
    ended = Acuse::Verifier::LogEnd.new(kept: [3, 'a'], published: [5, 'b'])
    [[1, 'x'], [3, 'a'], [4, 'x'], [5, 'b']].each { |size, root| assert ended.published?(size, root), size }
    [[3, 'b'], [5, 'a'], [6, 'b']].each { |size, root| refute ended.published?(size, root), size }
  end

  def test_bytes_that_mean_harm_never_make_it_stumble
    chance = Random.new(2)
    contents = Acuse::Verifier::Container.read(File.binread(GOOD))
    300.times do
      entries = contents.map do |name, content|
        next { name: name, base64: [content].pack('m0') } unless chance.rand(4).zero?

        { name: name, base64: [chance.bytes(chance.rand(200))].pack('m0') }
      end
      report = verify(JSON.generate({ type: 'acuse/bundle/v1', entries: entries }))
      refute_predicate report, :valid?
    end
  end

  def test_reads_at_most_what_a_bundle_may_have
    endless = Object.new
    def endless.read(most) = '{"proof.tlog-proof'.ljust(most, "\0")
    check = Acuse::Verifier.verify(endless, policy: TRUST).checks.fetch(0)
    assert_equal ['bundle', false, 'more than 150994944 bytes'], check.to_a
  end

  def test_says_which_field_of_a_policy_is_not_as_it_must_be
    own = JSON.parse(Acuse::Verifier::Container.read(File.binread(GOOD))['policy.json'])
    { 'log_keys is missing' => {}, 'the field "quorum" is not known' => { 'quorum' => 1, **own } }.each do |said, json|
      error = assert_raises(Acuse::ConfigurationError) { Acuse::Verifier::Policy.from_h(json) }
      assert_equal "This is not a policy: #{said}.", error.message
    end
  end

  def test_says_what_is_no_bundle
    ['', 'PK', '{}'].each { |data| assert_raises(Acuse::VerifyError) { verify(data) } }
    assert_raises(Acuse::ConfigurationError) { verify('PK', policy: nil) }
    assert_raises(Acuse::ConfigurationError) { Acuse::Verifier::Policy.from_h({ 'type' => 'x' }) }
    assert_raises(Acuse::ConfigurationError) { Acuse::Verifier::Policy.load(File.join(VECTORS, 'nothing')) }
    assert_raises(Errno::ENOENT) { Acuse::Verifier.verify(File.join(BUNDLES, 'nothing'), policy: TRUST) }
  end

  def test_what_is_told_prints_its_name_and_its_detail
    report = Acuse::Verifier.verify(GOOD, policy: TRUST)
    [report.reasons, report.unchecked].each { |each| assert_match(/\A\w+: [^#]/, each.first.to_s) }
  end

  def test_a_received_copy_is_listed_as_not_compared
    report = Acuse::Verifier.verify(GOOD, policy: TRUST, eml: 'received.eml')
    assert_equal ['received_copy', nil], report.checks.last.to_a.first(2)
  end
end

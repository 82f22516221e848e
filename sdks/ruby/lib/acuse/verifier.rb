# frozen_string_literal: true

require 'openssl'

module Acuse
  # The file is something else than a proof bundle: it is no evidence, valid or not.
  class VerifyError < Error; end

  # Verification of proof bundles, offline: with the bytes of a bundle and whom to trust. This version checks
  # everything but time-stamps, renewals and revocation data, which it lists as not checked; its best verdict is
  # therefore `:incomplete`. `acuse verify` checks all of it.
  module Verifier
    # Believe the policy in the bundle, which whoever made the bundle wrote: it proves nothing by itself.
    TRUST_BUNDLE = :TRUST_BUNDLE

    # Printed, they say both.
    module Named
      def to_s = "#{name}: #{detail}"
    end

    # One step: `ok` is true, false, or nil for what was not checked; `detail` says why.
    Check = Struct.new(:name, :ok, :detail, keyword_init: true) { include Named }

    # Why the verdict is not :verified: a name of docs/evidence-format.md, section 9, not_checked, or the check that
    # failed.
    Reason = Struct.new(:name, :detail, keyword_init: true) { include Named }

    # Oddities that break no check.
    Warning = Struct.new(:name, :detail, keyword_init: true) { include Named }

    # Outcome of a verification. `verdict`: :verified (never by this version), :unproven (it holds together, and
    # nobody whom you trust vouches for it), :incomplete (genuine, and not the whole, or not all was checked) or
    # :rejected; `valid`: everything was checked, and holds; `trust`: :pinned or :bundle. `sealed_at` and
    # `development` are nil as long as the time-stamp, which says both, is not checked.
    Report = Struct.new(
      :verdict, :valid, :reasons, :warnings, :trust, :sealed_at, :development, :checks, keyword_init: true
    ) do
      # @return [Boolean]
      def valid? = valid

      # @return [Boolean]
      def rejected? = verdict == :rejected

      # The checks of this report that fail.
      # @return [Array<Check>]
      def failed = checks.select { |each| each.ok == false }

      # The checks that were not made.
      # @return [Array<Check>]
      def unchecked = checks.select { |each| each.ok.nil? }
    end

    # Verifies a proof bundle.
    # @param file [String, #read] its path, or an IO in binary mode, such as StringIO.new(bytes)
    # @param policy [Policy, TRUST_BUNDLE] whom to trust: your own, or the bundle's, written out
    # @param received [Object, nil] `eml`: a received copy, which this version does not compare: it is listed as
    #   not checked. `at`: when the newest time-stamp's chain must still be valid, which is not checked either
    # @param now [Time, nil] the reader's clock; nil: the system's
    # @return [Report]
    # @raise [VerifyError] the file is not a proof bundle
    # @raise [SystemCallError] it cannot be read
    # @raise [ConfigurationError]
    def self.verify(file, policy:, now: nil, at: nil, eml: nil)
      unless policy.is_a?(Policy) || policy == TRUST_BUNDLE
        raise ConfigurationError, 'policy is an Acuse::Verifier::Policy, or TRUST_BUNDLE.'
      end

      _ = at # only time-stamps have a time
      now = ((now || Time.now).to_r * 1_000).floor
      Run.new(policy == TRUST_BUNDLE ? nil : policy, now: now, copy: !eml.nil?).report(bytes_of(file))
    end

    # No more of it than a bundle may have, and a byte by which it is seen to be too large.
    def self.bytes_of(file)
      most = Container::MAX_FILE + 1
      (file.respond_to?(:read) ? file.read(most) : File.open(file, 'rb') { |io| io.read(most) }).to_s.b
    end
    private_class_method :bytes_of
  end
end

require_relative 'verifier/strict_json'
require_relative 'verifier/checking'
require_relative 'verifier/container'
require_relative 'verifier/policy'
require_relative 'verifier/stamp'
require_relative 'verifier/log_end'
require_relative 'verifier/line'
require_relative 'verifier/verdict'
require_relative 'verifier/documents'
require_relative 'verifier/mime_header'
require_relative 'verifier/message'
require_relative 'verifier/reply'
require_relative 'verifier/content'
require_relative 'verifier/run'

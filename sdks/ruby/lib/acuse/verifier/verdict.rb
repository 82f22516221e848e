# frozen_string_literal: true

module Acuse
  module Verifier
    # The meaning of the checks. The worst wins: rejected, unproven, incomplete.
    # @private
    module Verdict
      BUNDLE_KEYS = 'the keys are those that the file itself names: whoever made it chose them'

      module_function

      # @param line [Line, nil] nil if it was not reached
      # @return [Array] the verdict, and the reasons why it is not :verified
      def of(checks, trust, line)
        failed = checks.select { |each| each.ok == false }
        return [:rejected, failed.map { |each| reason(each.name, each.detail) }] unless failed.empty?

        unproven = trust == :bundle ? [reason('bundle_keys', BUNDLE_KEYS)] : []
        unchecked = checks.select { |each| each.ok.nil? }.map(&:name)
        incomplete = unchecked.empty? ? [] : [reason('not_checked', "not checked here: #{unchecked.join(', ')}")]
        incomplete += left_out(line)
        verdict = { unproven: unproven, incomplete: incomplete }.find { |_, found| !found.empty? }&.first
        [verdict || :verified, unproven + incomplete]
      end

      def left_out(line)
        content = line.openings['content']
        [
          [!line.counted?, 'outcomes_not_counted',
           'it does not show how many outcomes there were: an outcome may have been left out'],
          [!line.withheld.empty?, 'outcomes_withheld',
           "it withholds #{line.withheld.length} of the outcomes that were counted"],
          [!line.history_shown?, 'history_not_shown',
           'it does not show that the trees of the log in it are one log'],
          [content == 'disclosed' || (content == 'complete' && line.closed_outcome?), 'content_disclosed',
           'it shows a part of the content'],
          [content == 'erased', 'content_erased', "the message's content was erased"]
        ].filter_map { |applies, name, detail| reason(name, detail) if applies }
      end

      def reason(name, detail) = Reason.new(name: name, detail: detail).freeze
    end
  end
end

# frozen_string_literal: true

module Acuse
  module Verifier
    # The checks of a bundle's content and outcomes: docs/evidence-format.md, sections 4 and 5.
    # @private
    class Content
      include Checking

      FACTS = %w[filename media_type sha256 size].freeze
      # Openings of a manifest, without its parts: body, header, raw, two addresses, the submission.
      SINGLE_OPENINGS = 6

      # @param files [Hash] the bundle's entries by name
      def initialize(files)
        @files = files
      end

      # Each opens its commitment, and nothing is there unopened.
      # @raise [Refused]
      def openings(manifest, canonical_hash)
        check = 'openings'
        openings = Documents.openings(@files['openings.json'])
        need(openings['canonical_hash'] == canonical_hash, check, "they are another message's")
        pairs = pairs_of(openings, manifest)
        need(pairs.all? { |pair| opened?(*pair) }, check, 'an opening does not open its commitment')
        openings['envelope'].each_value do |value|
          need(sha256(value['value']) == value['sha256'], check, 'another address')
        end
        parts(openings['mail']['parts'], manifest['mail']['parts'])
        amount(openings, pairs.length, manifest['mail']['parts'].length)
        present(openings)
        openings
      end

      # A file has the hash that was opened.
      # @raise [Refused]
      def whole(name, opening, check)
        need(@files.key?(name), check, "#{name} is opened and not there")
        need(sha256(@files[name]) == opening['sha256'], check, "#{name} is another than was opened")
      end

      # L1 of the message.
      # @raise [Refused]
      def relaxed(mail)
        layers = { 'header' => :relaxed_header, 'body' => :relaxed_body }
        layers.slice(*mail.keys).each do |layer, read|
          same = sha256(Message.public_send(read, @files['message.eml'])) == mail[layer]['sha256']
          need(same, 'message_relaxed', "another #{layer} than was opened")
        end
      end

      # L2 of the message.
      # @raise [Refused]
      # @raise [NotChecked]
      def parts_found(mail)
        found = Message.parts(@files['message.eml'])
        mail['parts'].each do |part|
          same = found[part['index']] == part.slice(*FACTS)
          need(same, 'message_parts', "part #{part['index']} is another than was opened")
        end
      end

      # L2 of parts that stand alone.
      # @raise [Refused]
      def parts_shown(mail)
        mail['parts'].each do |part|
          data = @files[part_name(part)]
          need(data, 'message_parts', "part #{part['index']} is not there")
          same = part.values_at('sha256', 'size') == [sha256(data), data.bytesize]
          need(same, 'message_parts', "part #{part['index']} is another than was opened")
        end
      end

      # One outcome, and its openings.
      # @param message [Array] manifest, its hash, and the hash of the leaf before
      # @raise [Refused]
      def outcome(base, number, message, check)
        manifest, canonical_hash, previous = message
        need(@files.key?("#{base}.json"), check, 'the outcome is missing')
        outcome = Documents.outcome(@files["#{base}.json"], check)
        named = "delivery/#{format('%02d', number)}-#{outcome['kind']}"
        need(base == named, check, "another kind or number than its name's")
        same = outcome.values_at('log', 'message_id') == manifest.values_at('log', 'message_id')
        need(same && outcome['message_canonical_hash'] == canonical_hash, check, "another message's")
        need(outcome['previous'] == previous, check, 'not chained to the one before')
        time_ran_out(outcome, manifest['acknowledgement'], check) if outcome['kind'] == 'unanswered'
        opened = outcome_opened(base, outcome, check)
        reported(base, outcome, opened, check)
        outcome
      end

      # Did the recipient acknowledge by mail, and is that opened?
      def reply?(base, outcome)
        outcome.values_at('kind', 'source') == Documents::REPLY && @files.key?("#{base}.openings.json")
      end

      # @param recipient [String, nil] nil where it is not opened
      # @raise [Refused]
      def reply(base, outcome, recipient, check)
        opened = outcome_opened(base, outcome, check)
        Reply.new(@files["#{base}.dsn.eml"], opened, check).check(outcome['message_id'], recipient)
      end

      private

      def time_ran_out(outcome, asked, check)
        need(!asked.nil?, check, 'it answers what the message did not ask for')
        over = moment(asked['until'], check) <= moment(outcome['occurred_at'], check)
        need(over, check, 'unanswered while the recipient still had time to answer')
      end

      def pairs_of(openings, manifest)
        mail = openings['mail']
        pairs = (mail.keys - ['parts']).map { |name| [mail[name], manifest['mail'][name]] }
        pairs += openings['envelope'].map { |name, value| [value, manifest['envelope'][name]] }
        pairs << [openings['submission'], manifest['submission']] if openings.key?('submission')
        pairs
      end

      def parts(opened, sealed)
        last = -1
        opened.each do |part|
          index = part['index']
          need(index > last && index < sealed.length, 'openings', 'the parts are not in order, or one too many')
          facts = sha256(StrictJson.canonical(part.slice(*FACTS)))
          same = opened?({ 'salt' => part['salt'], 'sha256' => facts }, sealed[index])
          need(same, 'openings', 'a part does not open its commitment')
          last = index
        end
      end

      def amount(openings, single, sealed)
        opened = single + openings['mail']['parts'].length
        every = SINGLE_OPENINGS + sealed
        need(openings['content'] != 'complete' || opened == every, 'openings', 'not everything is opened')
        need(openings['content'] != 'erased' || opened.zero?, 'openings', 'something is opened that was erased')
      end

      # Content is there only where it is opened.
      def present(openings)
        mail = openings['mail']
        shown = mail.key?('raw') ? ['message.eml'] : mail['parts'].map { |part| part_name(part) }
        shown << 'submission.bin' if openings.key?('submission')
        there = @files.keys.select do |name|
          %w[message.eml submission.bin].include?(name) || name.start_with?('parts/')
        end
        need((there - shown).empty?, 'openings', 'content that is not opened')
      end

      def part_name(part) = format('parts/%02d.bin', part['index'])

      def outcome_opened(base, outcome, check)
        data = @files["#{base}.openings.json"]
        return {} if data.nil?

        opened = Documents.outcome_openings(data, outcome.values_at('kind', 'source'), check)
        same = opened['canonical_hash'] == sha256(@files["#{base}.json"])
        need(same, check, 'openings of another outcome')
        facts = opened['facts']
        found = { 'salt' => facts['salt'], 'sha256' => sha256(StrictJson.canonical(facts['value'])) }
        need(opened?(found, outcome['facts']), check, 'the facts do not open their commitment')
        opened
      end

      def reported(base, outcome, opened, check)
        { 'transcript' => 'transcript.json', 'dsn' => 'dsn.eml' }.each do |label, suffix|
          name = "#{base}.#{suffix}"
          value = opened[label]
          need(value.nil? != @files.key?(name), check, "#{label} is not there exactly if opened")
          need(opened.empty? || value.nil? == outcome[label].nil?, check, "#{label} is not opened")
          next if value.nil?

          same = sha256(@files[name]) == value['sha256'] && opened?(value, outcome[label])
          need(same, check, "another #{label} than was opened")
        end
      end
    end
  end
end

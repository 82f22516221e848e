# frozen_string_literal: true

module Acuse
  module Verifier
    # One verification, check by check, in the order of docs/evidence-format.md, section 9.
    # @private
    class Run
      include Checking

      # Errors that hostile bytes may make a reader raise: they are refused as well.
      STUMBLES = [
        ArgumentError, EncodingError, IndexError, NameError, OpenSSL::OpenSSLError, RangeError, RegexpError,
        SystemStackError, TypeError, Zlib::Error
      ].freeze
      ELSEWHERE = 'not checked here: acuse verify checks it'
      SECOND_LEFT_OUT =
        Warning.new(name: 'mldsa44_not_checked', detail: 'ML-DSA-44 signature not checked here').freeze
      KINDS = /\.tsr|-(?:sent|bounced|cancelled|complained|acknowledged|refused|displayed|unanswered)/

      # @param now [Integer] milliseconds since 1970
      def initialize(pinned, now:, copy:)
        @pinned = pinned
        @now = now
        @copy = copy
        @checks = []
        @warnings = []
        @cosigned = []
      end

      # All checks up to the first that fails.
      # @return [Report]
      def report(data)
        begin
          @files = check('bundle') { Container.read(data) }
          @content = Content.new(@files)
          everything
        rescue Refused => e
          @checks << Check.new(name: e.check, ok: false, detail: e.message).freeze
        end
        told
      end

      private

      def told
        trust = @pinned.nil? ? :bundle : :pinned
        verdict, reasons = Verdict.of(@checks, trust, @line)
        Report.new(
          verdict: verdict, valid: @checks.all?(&:ok), reasons: reasons.freeze, warnings: @warnings.freeze,
          trust: trust, sealed_at: nil, development: nil, checks: @checks.freeze
        ).freeze
      end

      def check(name)
        value = yield
        @checks << Check.new(name: name, ok: true, detail: 'holds').freeze
        value
      rescue NotChecked => e
        leave_out(name, "not checked here: #{e.message}. acuse verify checks it")
      rescue Notes::Problem => e
        raise Refused.new(name, e.message)
      rescue *STUMBLES => e
        raise Refused.new(name, "it cannot be read: #{e.class}")
      end

      def leave_out(name, detail = ELSEWHERE)
        @checks << Check.new(name: name, ok: nil, detail: detail).freeze
        nil
      end

      def everything
        check('sums') { sums }
        check('entries') { entries }
        @policy = check('trust') { trusted }
        manifest = check('manifest') { Documents.manifest(@files['manifest.json']) }
        @accepted = moment(manifest['accepted_at'], 'manifest')
        entry = sha256(@files['manifest.json'])
        openings = content(manifest, entry)
        message = leaf('proof.tlog-proof', 'constancia.tsr', manifest['log'], entry, '')
        check('stamped_checkpoint') do
          same = @files['checkpoint.txt'] == message.text.b
          need(same, 'stamped_checkpoint', 'checkpoint.txt is another checkpoint')
        end
        times
        found = outcomes(manifest, entry, openings.dig('envelope', 'rcpt_to', 'value'))
        story(Line.new(
                files: @files, policy: @policy, now: @now, manifest: manifest, openings: openings, message: message,
                outcomes: found, cosigned: @cosigned
              ))
        leave_out('revocation') if @files.each_key.any? { |name| name.start_with?('revocation/') }
        leave_out('received_copy') if @copy
      end

      # Each of these is looked at whatever the others gave.
      def story(line)
        @line = line
        refused = %w[outcomes history order times].filter_map { |name| refusal(name, line) }
        refused[0..-2].each { |each| @checks << Check.new(name: each.check, ok: false, detail: each.message).freeze }
        raise refused.last unless refused.empty?

        @warnings.concat(line.warnings)
        @warnings << SECOND_LEFT_OUT if @second_left_out || line.second_left_out?
        check('log_end') { line.log_end } if line.ended?
      end

      def refusal(name, line)
        return if name == 'outcomes' && !line.counts?

        check(name) { line.public_send(name) }
        nil
      rescue Refused => e
        e
      end

      # SHA256SUMS is exactly that of the entries, in the order of the table.
      def sums
        names = (@files.keys - ['SHA256SUMS']).sort_by { |name| [Container.rank(name), name] }
        lines = names.map { |name| "#{sha256(@files[name])}  #{name}\n" }
        need(@files['SHA256SUMS'] == lines.join.b, 'sums', 'SHA256SUMS is not that of the entries')
      end

      # Each chain, document and list belongs to a time-stamp.
      def entries
        stamped = @files.keys.select { |name| name.end_with?('.tsr') }.map { |name| name.gsub(KINDS, '').tr('/', '-') }
        @files.each_key do |name|
          stamps = case name
                   when %r{\A(?:chain|issued)/(.*)\.} then stamped.include?(Regexp.last_match(1))
                   when /\.(?:sums|list)\z/ then @files.key?("#{name[0..-6]}.tsr")
                   else true
                   end
          need(stamps, 'entries', "#{name} belongs to no time-stamp")
        end
      end

      # Yours, or the bundle's own, which must be well-formed in either case.
      def trusted
        own = Policy.new(read_canonical(@files['policy.json'], 'trust'))
        @pinned || own
      end

      def content(manifest, entry)
        openings = check('openings') { @content.openings(manifest, entry) }
        mail = openings['mail']
        submission = openings['submission']
        check('submission') { @content.whole('submission.bin', submission, 'submission') } if submission
        if mail.key?('raw')
          check('message') { @content.whole('message.eml', mail['raw'], 'message') }
          check('message_relaxed') { @content.relaxed(mail) }
          check('message_parts') { @content.parts_found(mail) }
        elsif !mail['parts'].empty?
          check('message_parts') { @content.parts_shown(mail) }
        end
        openings
      end

      # The log has the entry. Keys under its checkpoint must have been trusted at the time of the token over it,
      # which may be read before it is verified; now, while there is none; whenever, while it cannot be read.
      # @return [Line::Leaf]
      def leaf(file, token, origin, entry, prefix)
        at = @files.key?(token) ? Stamp.time(@files[token]) : @now
        parsed, head = check("#{prefix}checkpoint") do
          signed_proof(@files[file].to_s, origin, at, "#{prefix}checkpoint")
        end
        check("#{prefix}inclusion") do
          hash = Merkle.leaf_hash([entry].pack('H*'))
          held = Merkle.included?(hash, parsed.index, head.size, parsed.path, head.root)
          need(held, "#{prefix}inclusion", 'the path does not lead to the root')
        end
        check("#{prefix}witness") { witnesses(parsed.note, at, "#{prefix}witness") }
        Line::Leaf.new(entry, parsed.note.text, parsed.index, head.size, head.root)
      end

      # @param at [Integer, nil] nil: whenever
      def trusted_at(keys, at) = at.nil? ? keys : keys.select { |key| key.trusted?(at) }

      def signed_proof(proof, origin, at, check)
        parsed = Notes.parse_proof(proof)
        head = Notes.parse_tree_head(parsed.note.text)
        need(head.origin == origin, check, 'a checkpoint of another log')
        keys = trusted_at(@policy.log_keys, at)
        names = Notes.signers(parsed.note, keys, Notes::LOG_KEY).map(&:name)
        need(names.include?(origin), check, 'not signed by a trusted key of its log')
        @policy.second_keys_at(origin, at).each do |key|
          Notes.second_signed(parsed.note, key)
          @second_left_out = true
        end
        [parsed, head]
      end

      # Every cosignature of a trusted witness verifies, and enough operators cosigned, at a time at which they can
      # have seen the message.
      def witnesses(note, at, check)
        signed = Notes.cosigned(note, trusted_at(@policy.witness_keys, at))
        counting = signed.select do |_, seconds|
          seconds.positive? && (seconds * 1_000).between?(@accepted - Line::TOLERANCE, @now + Line::DAY)
        end
        @cosigned.concat(counting.values.map { |seconds| seconds * 1_000 })
        found = counting.keys.map(&:operator).uniq.length
        need(found >= @policy.required, check, "#{found} witnesses cosigned, #{@policy.required} are required")
      end

      # This library checks no time-stamp, and says so of each.
      def times
        leave_out('renewal') if @files.each_key.any? { |name| name.start_with?('renewal/') }
        leave_out('timestamp')
        leave_out('message_timestamp') if @files.key?('message-constancia.tsr')
      end

      # Each chained to the one before.
      # @return [Array<Line::Outcome>]
      def outcomes(manifest, canonical_hash, recipient)
        previous = canonical_hash
        names = @files.keys.select { |name| name.start_with?('delivery/') }
        bases = names.map { |name| name.partition('.').first }.uniq.sort
        need(bases.length <= Line::MAX_OUTCOMES, 'delivery', 'too many outcomes')
        bases.map.with_index(1) do |base, number|
          name = format('delivery.%02d', number)
          need(base.start_with?(format('delivery/%02d-', number)), 'delivery', 'the outcomes have a gap')
          message = [manifest, canonical_hash, previous]
          outcome = check(name) { @content.outcome(base, number, message, name) }
          replied(base, outcome, recipient, "#{name}.reply")
          previous = sha256(@files["#{base}.json"])
          found = leaf("#{base}.tlog-proof", "#{base}.tsr", outcome['log'], previous, "#{name}.")
          leave_out("#{name}.timestamp") if @files.key?("#{base}.tsr")
          Line::Outcome.new(found, moment(outcome['occurred_at'], name), "#{base}.tsr")
        end
      end

      def replied(base, outcome, recipient, name)
        return unless @content.reply?(base, outcome)

        check(name) { @content.reply(base, outcome, recipient, name) }
      end
    end
  end
end

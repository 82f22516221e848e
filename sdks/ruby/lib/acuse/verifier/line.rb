# frozen_string_literal: true

module Acuse
  module Verifier
    # Is a bundle one story? All outcomes that the log counted are here, all trees are one log, and no time
    # contradicts another: docs/evidence-format.md, section 9. Times are milliseconds since 1970.
    # @private
    class Line
      include Checking

      # Clocks that differ by no more do not contradict each other.
      TOLERANCE = 5 * 60_000
      DAY = 24 * 3_600_000
      OLD_COUNT = 30 * DAY
      MAX_OUTCOMES = 32
      # A log's name, and what is behind it in the name of a message's own log.
      MAX_ORIGIN = Notes::MAX_NAME_BYTES + 67
      # Seconds that are a time in every implementation.
      MAX_UNIX_TIME = 253_402_300_799

      # The leaf of an entry in the log (hex).
      Leaf = Struct.new(:entry, :text, :index, :size, :root)
      # `token`: the entry that would hold its time-stamp.
      Outcome = Struct.new(:leaf, :occurred, :token)
      # The owner of the time. `size`: of the tree that was stamped.
      Stated = Struct.new(:what, :at, :size) do
        def to_s = "#{what} at #{Checking.told(at)}"
      end

      attr_reader :openings

      def initialize(found)
        found.each { |name, value| instance_variable_set("@#{name}", value) }
        @accepted = Stated.new('accepted', moment(@manifest['accepted_at'], 'manifest'))
      end

      # Is anything said of how many outcomes there are?
      def counts? = @files.key?('outcomes.note') || ended? || !withheld.empty?

      def counted? = !@counted.nil?
      def second_left_out? = @second_left_out == true
      def ended? = @files.key?('log-end.note') && !ends.empty?
      def withheld = @openings.fetch('withheld', [])
      def history_shown? = @files.key?('history.txt') || leaves.map(&:size).uniq.length == 1

      # @raise [Refused, Notes::Problem]
      def outcomes
        note = counting_note
        head = Notes.parse_tree_head(note.text, MAX_ORIGIN)
        need(note.text.count("\n") == 3, 'outcomes', 'outcomes.note is not three lines')
        own = "#{@manifest['log']}/m/#{@message.entry}"
        need(head.origin == own && head.size.positive?, 'outcomes', 'outcomes.note is of another message')
        at = count_signed(note)
        entries = leaves.map(&:entry) + withheld
        need(entries.length <= MAX_OUTCOMES + 1, 'outcomes', 'too many outcomes')
        counted = "on #{told(at)} the operator signed #{head.size - 1} outcomes"
        need(head.size == entries.length, 'outcomes', "#{counted}; #{entries.length - 1} are here")
        root = Merkle.root(entries.map { |entry| Merkle.leaf_hash([entry].pack('H*')) })
        need(root == head.root, 'outcomes', "#{counted}; those here are others")
        @counted = Stated.new('outcomes counted', at)
      end

      # @raise [Refused, Notes::Problem]
      def history
        trees = leaves.map { |leaf| [leaf.size, leaf.root] }.uniq.sort
        sizes = trees.map(&:first)
        need(sizes.uniq.length == sizes.length, 'history', 'the log signed two trees of one size')
        text = @files['history.txt']
        return if text.nil?

        need(trees.length > 1, 'history', 'history.txt is there, and every proof is of one tree')
        blocks = text.split("\n\n", -1)
        need(blocks.pop == '' && blocks.length == trees.length - 1, 'history', 'not a proof for each two sizes')
        blocks.zip(trees.each_cons(2)) { |block, (old, new)| grown(block, old, new) }
      end

      # @raise [Refused]
      def order
        indexes = leaves.map(&:index)
        rising = indexes.each_cons(2).all? { |one, other| one < other }
        need(rising, 'order', "leaves #{indexes.join(', ')}: an outcome is before what it follows")
      end

      # Those of time-stamps as far as they can be read, for nothing here verifies them.
      # @raise [Refused]
      # @raise [NotChecked] nothing contradicts
      def times
        not_after(*stamps.map { |stamp| [@accepted, stamp] })
        occurred.zip(@outcomes) do |each, outcome|
          later = stamps.select { |stamp| stamp.size && stamp.size > outcome.leaf.index }
          not_after([@accepted, each], *[*later, @counted].compact.map { |other| [each, other] })
        end
        not_after([sealed, @counted]) if sealed && @counted
        not_after(*[sealed, *renewed].compact.each_cons(2))
        future = all.find { |each| each.at > @now + DAY }
        need(future.nil?, 'times', "#{future}, and it is #{told(@now)} here")
        raise NotChecked, 'no time contradicts another, and time-stamps are taken at their word'
      end

      # @raise [Refused]
      def log_end
        within = ends.all? { |each| leaves.all? { |leaf| each.published?(leaf.size, leaf.root) } }
        need(within, 'log_end', 'it is in a tree that was never published')
        ended = ends.map { |each| Stated.new('the log ended', each.at) }
        ended.product([@accepted, *occurred]) do |last, each|
          need(each.at <= last.at + TOLERANCE, 'log_end', "#{each}, yet #{last}")
        end
        future = ended.find { |each| each.at > @now + DAY }
        need(future.nil?, 'log_end', "#{future}, and it is #{told(@now)} here")
      end

      # Nothing opens what one of the outcomes rests on.
      def closed_outcome?
        @files.keys.grep(%r{\Adelivery/.*\.openings\.json\z}).length < @outcomes.length
      end

      # Oddities that break nothing.
      # @return [Array<Warning>]
      def warnings
        [clock, sealed_late, occurred_order, unstamped, old_count].compact.map do |name, detail|
          Warning.new(name: name, detail: detail).freeze
        end
      end

      private

      def leaves = [@message, *@outcomes.map(&:leaf)]
      def log_keys = @policy.log_keys.select { |key| key.name == @manifest['log'] }

      def counting_note
        need(@files.key?('outcomes.note'), 'outcomes', 'outcomes.note is missing, and something here rests on it')
        Notes.parse_note(@files['outcomes.note'])
      end

      # When the first of the keys signed the count that was trusted then: a key may stand twice, for two times. All
      # that one of them signed must verify.
      def count_signed(note)
        keys = @files.key?('log-end.note') ? [*log_keys, successor] : log_keys
        signed = keys.map { |key| [key, Notes.cosigned(note, [key.as_witness]).values.first] }.select(&:last)
        need(!signed.empty?, 'outcomes', 'outcomes.note is not signed by a trusted key of the log')
        key, seconds = signed.find { |each, at| at <= MAX_UNIX_TIME && each.trusted?(at * 1_000) }
        need(key, 'outcomes', 'outcomes.note was signed when its key was not trusted')
        seconds_signed(note, key.name, seconds)
        seconds * 1_000
      end

      def seconds_signed(note, name, seconds)
        times = second_keys(name, seconds * 1_000).map { |key| Notes.second_signed(note, key) }
        need(times.all?(seconds), 'outcomes', 'the signatures of outcomes.note are of two times')
        @second_left_out = true unless times.empty?
      end

      # Of whoever counted: the log itself, or the log that goes on. The end of a log, which names the latter, has no
      # second signature: it must not spare the count one, whatever time that states.
      def second_keys(name, at)
        log = @manifest['log']
        return @policy.second_keys_at(name, at) if name == log || @policy.second_keys_at(log, at).empty?

        listed = @policy.second_keys.select { |key| key.name == name }
        need(!listed.empty?, 'outcomes', 'outcomes.note is counted by a log without a second key')
        listed
      end

      # The key of the log that goes on, named by a key of this one that was trusted at its end.
      def successor
        found = log_keys.filter_map do |key|
          ended = opened_end(key)
          ended.successor if ended && key.trusted?(ended.at)
        end
        need(!found.empty?, 'outcomes', 'log-end.note is not the end of this log, signed by a trusted key')
        found.first
      end

      # Whatever the time.
      def ends = log_keys.filter_map { |key| opened_end(key) }

      def opened_end(key)
        LogEnd.open(@files['log-end.note'], key)
      rescue Notes::Problem, Refused
        nil
      end

      def grown(block, old, new)
        head, *lines = block.split("\n", -1)
        need(head == "consistency #{old[0]} #{new[0]}", 'history', "no proof from #{old[0]} leaves to #{new[0]}")
        path = lines.map { |line| Notes.unbase64(line) }
        held = Merkle.consistent?(*old, *new, path)
        need(held, 'history', "the tree of #{old[0]} leaves is not shown to be the beginning of that of #{new[0]}")
      end

      def sealed = stamp('sealed', 'constancia.tsr', @message.size)

      def stamp(what, name, size = nil)
        at = Stamp.time(@files[name])
        at && Stated.new(what, at, size)
      end

      def stamps
        @stamps ||= [
          sealed, stamp("the message's own time-stamp", 'message-constancia.tsr'),
          *@outcomes.map.with_index(1) { |each, n| stamp("outcome #{n} sealed", each.token, each.leaf.size) }
        ].compact
      end

      def renewed
        names = @files.keys.grep(%r{\Arenewal/.*\.tsr\z}).sort
        @renewed ||= names.filter_map { |name| stamp(name, name) }
      end

      def occurred = @outcomes.map.with_index(1) { |each, n| Stated.new("outcome #{n}", each.occurred) }
      def all = [@accepted, *occurred, *stamps, *renewed, @counted].compact

      def not_after(*pairs)
        pairs.each do |earlier, later|
          need(earlier.at <= later.at + TOLERANCE, 'times', "#{earlier}, yet #{later}")
        end
      end

      def clock
        signed = @cosigned.map { |at| Stated.new('cosigned', at) }
        ahead = [*all, *signed].find { |each| each.at > @now + TOLERANCE }
        ahead && ['clock', "#{ahead}, and it is #{told(@now)} here: your clock or theirs is wrong"]
      end

      def sealed_late
        return unless sealed && sealed.at > @accepted.at + DAY

        ['sealed_late', "#{@accepted} and #{sealed}: that it was accepted before is the operator's word"]
      end

      def occurred_order
        late = occurred.combination(2).find { |one, later| one.at > later.at + TOLERANCE }
        late && ['occurred_order', "#{late.first}, after an outcome that was recorded later"]
      end

      def unstamped
        number = @outcomes.index { |each| !@files.key?(each.token) }
        return if number.nil?

        ['outcome_unstamped', "outcome #{number + 1} has no time-stamp of its own here: when it was recorded is the " \
                              "operator's word"]
      end

      def old_count
        return unless @counted && @counted.at < @now - OLD_COUNT

        ['outcomes_old', "#{@counted}: later outcomes are not in this file"]
      end
    end
  end
end

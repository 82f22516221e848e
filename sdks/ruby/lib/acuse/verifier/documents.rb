# frozen_string_literal: true

module Acuse
  module Verifier
    # The documents of a bundle: docs/evidence-format.md, sections 3 to 5.
    # @private
    module Documents
      extend Checking

      MAX_PARTS = 128
      MAX_DKIM_KEYS = 8
      MAX_MAIL_DOMAINS = 8
      RESULT = /\A(?:pass|fail|softfail|neutral|none|temperror|permerror|not_checked)\z/
      VOUCHER = /\A(?:network|dkim|spf|helo)\z/
      EVENTS = {
        %w[sent session] => 'RelayToNonERDS',
        %w[bounced session] => 'RelayToNonERDSFailure',
        %w[bounced operator] => 'RelayToNonERDSFailure',
        %w[bounced reported_by_mail] => 'ReceivedFromNonERDS',
        %w[cancelled operator] => nil,
        %w[complained reported_by_mail] => 'ReceivedFromNonERDS',
        %w[acknowledged recipient_page] => nil,
        %w[acknowledged reported_by_mail] => 'ReceivedFromNonERDS',
        %w[refused recipient_page] => nil,
        %w[displayed reported_by_mail] => 'ReceivedFromNonERDS',
        %w[unanswered operator] => nil
      }.freeze
      # The recipient's own reply: the mail itself is the proof.
      REPLY = %w[acknowledged reported_by_mail].freeze
      TRUST = {
        'operator_asserted' => %w[attempt dsn facts kind occurred_at source transcript],
        'third_party_verifiable' => %w[message_canonical_hash previous]
      }.freeze

      class << self
        # @raise [Refused]
        def manifest(data)
          check = 'manifest'
          names = %w[accepted_at dkim envelope log mail message_id submission tenant_id tenant_sequence type]
          root = fields(read_canonical(data, check), check, names, ['acknowledgement'])
          need(root['type'] == 'acuse/message/v1', check, 'another type')
          moment(root['accepted_at'], check)
          asked = root['acknowledgement']
          moment(fields(asked, check, ['until'])['until'], check) if root.key?('acknowledgement')
          %w[message_id tenant_id].each { |name| text(root[name], check, UUID) }
          text(root['tenant_sequence'], check, /\A(?:0|[1-9][0-9]{0,19})\z/)
          text(root['submission'], check, HEX)
          log_name(root['log'], check)
          sealed(root, check)
          list(root['dkim'], check, MAX_DKIM_KEYS).each { |key| dkim_key(key, check) }
          root
        end

        # @raise [Refused]
        def openings(data)
          check = 'openings'
          names = %w[canonical_hash content envelope mail type]
          root = fields(read_canonical(data, check), check, names, %w[submission withheld])
          need(root['type'] == 'acuse/openings/v1', check, 'another type')
          text(root['canonical_hash'], check, HEX)
          need(%w[complete disclosed erased].include?(root['content']), check, 'content says something else')
          mail = fields(root['mail'], check, ['parts'], %w[body header raw])
          fields(root['envelope'], check, [], %w[mail_from rcpt_to]).each_value do |value|
            text(opening(value, check, ['value'])['value'], check)
          end
          [*mail.values_at('body', 'header', 'raw'), root['submission']].compact.each { |value| opening(value, check) }
          need([mail, root].none? { |each| each.value?(nil) }, check, 'an opening of nothing')
          list(mail['parts'], check, MAX_PARTS).each { |part| part_opening(part, check) }
          withheld(root, check) if root.key?('withheld')
          root
        end

        # @raise [Refused]
        def outcome(data, check)
          names = %w[
            attempt dsn etsi facts kind log message_canonical_hash message_id occurred_at previous source
            transcript trust type
          ]
          root = fields(read_canonical(data, check), check, names)
          need(root['type'] == 'acuse/delivery/v1' && root['trust'] == TRUST, check, 'another type or trust')
          pair = root.values_at('kind', 'source')
          need(EVENTS.key?(pair), check, 'a kind that this source does not have')
          event = EVENTS[pair] && "http://uri.etsi.org/19522/Event/#{EVENTS[pair]}"
          need(root['etsi'] == event, check, 'another event')
          outcome_fields(root, check)
          unreported = pair[1] == 'recipient_page' || %w[cancelled unanswered].include?(pair[0])
          need(!unreported || root['dsn'].nil?, check, 'a report about what nobody reports')
          need(pair != REPLY || root['dsn'], check, 'a reply that is not there')
          need(pair[1] == 'session' || root['transcript'].nil?, check, 'a transcript without a session')
          root
        end

        # @raise [Refused]
        def outcome_openings(data, pair, check)
          names = %w[canonical_hash dsn facts transcript type]
          root = fields(read_canonical(data, check), check, names)
          need(root['type'] == 'acuse/delivery-openings/v1', check, 'another type of openings')
          text(root['canonical_hash'], check, HEX)
          %w[dsn transcript].each { |name| opening(root[name], check) unless root[name].nil? }
          facts = fields(root['facts'], check, %w[salt value])
          text(facts['salt'], check, HEX)
          outcome_facts(facts['value'], pair[1], check)
          act(facts['value'], pair, check)
          root
        end

        private

        def log_name(value, check) = need(Notes.name?(text(value, check)), check, 'log is malformed')

        def sealed(root, check)
          envelope = fields(root['envelope'], check, %w[asserted_by mail_from rcpt_to])
          need(envelope['asserted_by'] == 'operator', check, 'an envelope that somebody else asserts')
          mail = fields(root['mail'], check, %w[body header parts raw])
          parts = list(mail['parts'], check, MAX_PARTS)
          single = envelope.values_at('mail_from', 'rcpt_to') + mail.values_at('body', 'header', 'raw')
          [*single, *parts].each { |value| text(value, check, HEX) }
        end

        def dkim_key(key, check)
          named = fields(key, check, %w[algorithm domain public_key selector])
          need(%w[rsa-sha256 ed25519-sha256].include?(named['algorithm']), check, 'another DKIM algorithm')
          %w[domain selector].each { |name| text(named[name], check, /\A[!-~]{1,253}\z/) }
          text(named['public_key'], check, %r{\A[A-Za-z0-9+/=]{1,2048}\z})
        end

        # Outcomes that the maker of the bundle left out.
        def withheld(root, check)
          hashes = list(root['withheld'], check, Line::MAX_OUTCOMES)
          need(!hashes.empty? && root['content'] == 'disclosed', check, 'withheld, and not said to be disclosed')
          hashes.each { |hash| text(hash, check, HEX) }
        end

        def part_opening(part, check)
          found = opening(part, check, %w[filename index media_type size])
          need(found['filename'].nil? || found['filename'].is_a?(String), check, 'a file name')
          text(found['media_type'], check)
          whole(found['index'], check)
          whole(found['size'], check)
        end

        def outcome_fields(root, check)
          moment(root['occurred_at'], check)
          text(root['message_id'], check, UUID)
          log_name(root['log'], check)
          whole(root['attempt'], check)
          %w[facts message_canonical_hash previous].each { |name| text(root[name], check, HEX) }
          %w[dsn transcript].each { |name| text(root[name], check, HEX) unless root[name].nil? }
        end

        def outcome_facts(facts, source, check)
          value = fields(facts, check, %w[ip mx reply reported_by_mail tls], ['acknowledgement'])
          spoken = value.values_at('ip', 'mx', 'tls')
          need(source == 'session' || spoken.none?, check, 'a server without a session')
          mailed = value['reported_by_mail']
          need(mailed.nil? == (source != 'reported_by_mail'), check, 'facts of another source')
          answered = %w[session operator].include?(source)
          need(answered || value['reply'].nil?, check, 'a reply without a session')
          nullable(value, %w[ip mx], check)
          reply(value['reply'], check)
          session_tls(value['tls'], check) unless value['tls'].nil?
          report(mailed, check) unless mailed.nil?
        end

        def texts(value, names, check) = value.values_at(*names).each { |each| text(each, check) }

        # Each is text or nil.
        def nullable(value, names, check)
          value.values_at(*names).compact.each { |each| text(each, check) }
        end

        def session_tls(value, check)
          found = fields(value, check, %w[cipher peer_certificate_sha256 version])
          texts(found, %w[cipher version], check)
          nullable(found, %w[peer_certificate_sha256], check)
        end

        # What a server answered, or nil.
        def reply(value, check)
          return if value.nil?

          found = fields(value, check, %w[code enhanced text])
          whole(found['code'], check) unless found['code'].nil?
          nullable(found, %w[enhanced text], check)
        end

        # The recipient's own act, in the facts of the outcomes that have one.
        def act(facts, pair, check)
          page = pair[1] == 'recipient_page'
          need(facts.key?('acknowledgement') == (page || pair == REPLY), check, 'an act in another place')
          found = facts['acknowledgement']
          if pair == REPLY then dkim_key(fields(found, check, ['dkim'])['dkim'], check)
          elsif page then page_act(found, check)
          end
        end

        def page_act(value, check)
          found = fields(value, check, %w[code_sent_at ip language name reason sentence])
          moment(found['code_sent_at'], check)
          found.values_at('ip', 'name', 'sentence').each { |each| text(each, check) }
          text(found['reason'], check) unless found['reason'].nil?
          text(found['language'], check, /\A(?:en|es)\z/)
        end

        def report(value, check)
          found = fields(value, check, %w[claims dkim mail_from peer sha256 spf vouched_by])
          claims(found['claims'], check)
          results(found, check)
          peer(found['peer'], check)
          text(found['mail_from'], check)
          text(found['sha256'], check, HEX)
          text(found['vouched_by'], check, VOUCHER) unless found['vouched_by'].nil?
        end

        def claims(value, check)
          names = %w[feedback_type final_recipient original_recipient remote_mta]
          found = fields(value, check, [*names, 'reply'])
          nullable(found, names, check)
          reply(found['reply'], check)
        end

        def results(report, check)
          dkim = fields(report['dkim'], check, %w[domains result])
          list(dkim['domains'], check, MAX_MAIL_DOMAINS).each { |domain| text(domain, check) }
          spf = fields(report['spf'], check, %w[domain result])
          nullable(spf, %w[domain], check)
          [dkim, spf].each { |each| text(each['result'], check, RESULT) }
        end

        def peer(value, check)
          found = fields(value, check, %w[helo ip tls])
          texts(found, %w[helo ip], check)
          texts(fields(found['tls'], check, %w[cipher version]), %w[cipher version], check) unless found['tls'].nil?
        end
      end
    end
  end
end

<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** Manifest, openings, outcomes: docs/evidence-format.md, sections 3 to 5. @internal */
final class Documents
{
    private const MAX_MAIL_DOMAINS = 8;
    private const RESULT = '/\A(?:pass|fail|softfail|neutral|none|temperror|permerror|not_checked)\z/';
    private const MAX_PARTS = 128;
    private const MAX_DKIM = 8;
    private const MAX_WITHHELD = 32;
    private const EVENTS = [
        'sent session' => 'RelayToNonERDS',
        'bounced session' => 'RelayToNonERDSFailure',
        'bounced operator' => 'RelayToNonERDSFailure',
        'bounced reported_by_mail' => 'ReceivedFromNonERDS',
        'cancelled operator' => null,
        'complained reported_by_mail' => 'ReceivedFromNonERDS',
        'acknowledged recipient_page' => null,
        'acknowledged reported_by_mail' => 'ReceivedFromNonERDS',
        'refused recipient_page' => null,
        'displayed reported_by_mail' => 'ReceivedFromNonERDS',
        'unanswered operator' => null,
    ];
    /** The recipient's own reply: the mail itself is the proof. */
    private const REPLY = 'acknowledged reported_by_mail';
    private const UNREPORTED = [
        'cancelled operator', 'acknowledged recipient_page', 'refused recipient_page', 'unanswered operator',
    ];
    private const TRUST = '{"operator_asserted":["attempt","dsn","facts","kind","occurred_at","source","transcript"],'
        . '"third_party_verifiable":["message_canonical_hash","previous"]}';

    /** Section 3. @throws Refused */
    public static function manifest(string $bytes): array
    {
        $check = 'manifest';
        $root = Form::fields(
            StrictJson::readCanonical($bytes, $check),
            $check,
            'accepted_at dkim envelope log mail message_id submission tenant_id tenant_sequence type',
            'acknowledgement',
        );
        Form::need($root['type'] === 'acuse/message/v1', $check, 'another type');
        Form::time($root['accepted_at'], $check);
        if (array_key_exists('acknowledgement', $root)) {
            Form::time(Form::fields($root['acknowledgement'], $check, 'until')['until'], $check);
        }
        Form::text($root['message_id'], $check, Form::UUID);
        Form::text($root['tenant_id'], $check, Form::UUID);
        Form::text($root['tenant_sequence'], $check, '/\A(?:0|[1-9][0-9]{0,19})\z/');
        Form::text($root['submission'], $check, Form::HEX);
        Form::need(Note::isName(Form::text($root['log'], $check)), $check, 'log is malformed');
        $envelope = Form::fields($root['envelope'], $check, 'asserted_by mail_from rcpt_to');
        Form::need($envelope['asserted_by'] === 'operator', $check, 'an envelope that somebody else asserts');
        $mail = Form::fields($root['mail'], $check, 'body header parts raw');
        $sealed = [$envelope['mail_from'], $envelope['rcpt_to'], $mail['body'], $mail['header'], $mail['raw']];
        foreach ([...$sealed, ...Form::items($mail['parts'], $check, self::MAX_PARTS)] as $commitment) {
            Form::text($commitment, $check, Form::HEX);
        }
        foreach (Form::items($root['dkim'], $check, self::MAX_DKIM) as $key) {
            self::checkDkim($key, $check);
        }
        return ['envelope' => $envelope, 'mail' => $mail] + $root;
    }

    /** @throws Refused */
    private static function checkDkim(mixed $key, string $check): void
    {
        $named = Form::fields($key, $check, 'algorithm domain public_key selector');
        Form::text($named['algorithm'], $check, '/\A(?:rsa|ed25519)-sha256\z/');
        Form::text($named['domain'], $check, '/\A[!-~]{1,253}\z/');
        Form::text($named['selector'], $check, '/\A[!-~]{1,253}\z/');
        Form::text($named['public_key'], $check, '~\A[A-Za-z0-9+/=]{1,2048}\z~');
    }

    /** Section 4. @throws Refused */
    public static function openings(string $bytes): array
    {
        $check = 'openings';
        $value = StrictJson::readCanonical($bytes, $check);
        $root = Form::fields($value, $check, 'canonical_hash content envelope mail type', 'submission withheld');
        Form::need($root['type'] === 'acuse/openings/v1', $check, 'another type');
        Form::text($root['canonical_hash'], $check, Form::HEX);
        Form::text($root['content'], $check, '/\A(?:complete|disclosed|erased)\z/');
        $envelope = Form::fields($root['envelope'], $check, '', 'mail_from rcpt_to');
        foreach ($envelope as $name => $each) {
            $envelope[$name] = Form::opening($each, $check, 'value');
            Form::text($envelope[$name]['value'], $check);
        }
        $mail = Form::fields($root['mail'], $check, 'parts', 'body header raw');
        foreach (array_intersect(['body', 'header', 'raw'], array_keys($mail)) as $name) {
            $mail[$name] = Form::opening($mail[$name], $check);
        }
        if (array_key_exists('submission', $root)) {
            $root['submission'] = Form::opening($root['submission'], $check);
        }
        if (array_key_exists('withheld', $root)) {
            $withheld = Form::items($root['withheld'], $check, self::MAX_WITHHELD);
            $may = $withheld !== [] && $root['content'] === 'disclosed';
            Form::need($may, $check, 'outcomes withheld by a whole bundle, or none');
            array_map(static fn (mixed $hash): string => Form::text($hash, $check, Form::HEX), $withheld);
        }
        $mail['parts'] = array_map(static function (mixed $each) use ($check): array {
            $part = Form::opening($each, $check, 'filename index media_type size');
            $named = $part['filename'] === null || is_string($part['filename']);
            Form::need($named, $check, 'a file name that is not text');
            Form::text($part['media_type'], $check);
            Form::whole($part['index'], $check);
            Form::whole($part['size'], $check);
            return $part;
        }, Form::items($mail['parts'], $check, self::MAX_PARTS));
        return ['envelope' => $envelope, 'mail' => $mail] + $root;
    }

    /** Section 5. @throws Refused */
    public static function outcome(string $bytes, string $check): array
    {
        $root = Form::fields(
            StrictJson::readCanonical($bytes, $check),
            $check,
            'attempt dsn etsi facts kind log message_canonical_hash message_id occurred_at previous source '
                . 'transcript trust type',
        );
        $trusted = StrictJson::canonical($root['trust']) === self::TRUST;
        Form::need($root['type'] === 'acuse/delivery/v1' && $trusted, $check, 'another type or trust');
        $pair = Form::text($root['kind'], $check) . ' ' . Form::text($root['source'], $check);
        $known = array_key_exists($pair, self::EVENTS);
        Form::need($known, $check, 'a kind that this source does not have');
        $event = self::EVENTS[$pair];
        $named = $event === null ? null : "http://uri.etsi.org/19522/Event/$event";
        Form::need($root['etsi'] === $named, $check, 'another event');
        Form::time($root['occurred_at'], $check);
        Form::text($root['message_id'], $check, Form::UUID);
        Form::need(Note::isName(Form::text($root['log'], $check)), $check, 'log is malformed');
        Form::whole($root['attempt'], $check);
        foreach (['facts', 'message_canonical_hash', 'previous'] as $name) {
            Form::text($root[$name], $check, Form::HEX);
        }
        foreach (['dsn', 'transcript'] as $name) {
            Form::text($root[$name] ?? str_repeat('0', 64), $check, Form::HEX);
        }
        $reported = !in_array($pair, self::UNREPORTED, true) || $root['dsn'] === null;
        Form::need($reported, $check, 'a report about what nobody reports');
        Form::need($pair !== self::REPLY || $root['dsn'] !== null, $check, 'a reply that is not there');
        $spoken = $root['source'] === 'session' || $root['transcript'] === null;
        Form::need($spoken, $check, 'a transcript without a session');
        return $root;
    }

    /** Section 5. @throws Refused */
    public static function outcomeOpenings(string $bytes, string $kind, string $source, string $check): array
    {
        $value = StrictJson::readCanonical($bytes, $check);
        $root = Form::fields($value, $check, 'canonical_hash dsn facts transcript type');
        Form::need($root['type'] === 'acuse/delivery-openings/v1', $check, 'another type of openings');
        Form::text($root['canonical_hash'], $check, Form::HEX);
        foreach (['dsn', 'transcript'] as $name) {
            $root[$name] = $root[$name] === null ? null : Form::opening($root[$name], $check);
        }
        $facts = Form::fields($root['facts'], $check, 'salt value');
        Form::text($facts['salt'], $check, Form::HEX);
        $names = 'ip mx reply reported_by_mail tls';
        $value = Form::fields($facts['value'], $check, $names, 'acknowledgement');
        self::checkFacts($value, $source, $check);
        self::checkAct($value, "$kind $source", $check);
        return ['facts' => $facts] + $root;
    }

    /** The recipient's own act, in the facts of the outcomes that have one. */
    private static function checkAct(array $facts, string $pair, string $check): void
    {
        $page = str_ends_with($pair, ' recipient_page');
        $due = $page || $pair === self::REPLY;
        Form::need(array_key_exists('acknowledgement', $facts) === $due, $check, 'an act in another place');
        if ($page) {
            $names = 'code_sent_at ip language name reason sentence';
            $act = Form::fields($facts['acknowledgement'], $check, $names);
            Form::time($act['code_sent_at'], $check);
            foreach (['ip', 'name', 'sentence'] as $name) {
                Form::text($act[$name], $check);
            }
            Form::text($act['reason'] ?? '', $check);
            Form::text($act['language'], $check, '/\A(?:en|es)\z/');
        } elseif ($due) {
            self::checkDkim(Form::fields($facts['acknowledgement'], $check, 'dkim')['dkim'], $check);
        }
    }

    private static function checkFacts(array $facts, string $source, string $check): void
    {
        $silent = $facts['ip'] === null && $facts['mx'] === null && $facts['tls'] === null;
        Form::need($source === 'session' || $silent, $check, 'a server without a session');
        $mailed = $facts['reported_by_mail'] !== null;
        Form::need($mailed === ($source === 'reported_by_mail'), $check, 'facts of another source');
        $answered = $source === 'session' || $source === 'operator';
        Form::need($answered || $facts['reply'] === null, $check, 'a reply without a session');
        self::nullable($facts, ['ip', 'mx'], $check);
        self::checkReply($facts['reply'], $check);
        if ($facts['tls'] !== null) {
            $tls = Form::fields($facts['tls'], $check, 'cipher peer_certificate_sha256 version');
            self::texts($tls, ['cipher', 'version'], $check);
            self::nullable($tls, ['peer_certificate_sha256'], $check);
        }
        if ($mailed) {
            self::checkReport($facts['reported_by_mail'], $check);
        }
    }

    /** @param list<string> $names */
    private static function texts(array $of, array $names, string $check): void
    {
        foreach ($names as $name) {
            Form::text($of[$name], $check);
        }
    }

    /** Each is text or null. @param list<string> $names */
    private static function nullable(array $of, array $names, string $check): void
    {
        self::texts($of, array_filter($names, static fn (string $name): bool => $of[$name] !== null), $check);
    }

    /** What a server answered, or null. */
    private static function checkReply(mixed $value, string $check): void
    {
        if ($value !== null) {
            $reply = Form::fields($value, $check, 'code enhanced text');
            Form::whole($reply['code'] ?? 0, $check);
            self::nullable($reply, ['enhanced', 'text'], $check);
        }
    }

    /** What a mail reported, and who delivered it. */
    private static function checkReport(mixed $value, string $check): void
    {
        $report = Form::fields($value, $check, 'claims dkim mail_from peer sha256 spf vouched_by');
        $names = ['feedback_type', 'final_recipient', 'original_recipient', 'remote_mta'];
        $claims = Form::fields($report['claims'], $check, implode(' ', $names) . ' reply');
        self::nullable($claims, $names, $check);
        self::checkReply($claims['reply'], $check);
        $dkim = Form::fields($report['dkim'], $check, 'domains result');
        foreach (Form::items($dkim['domains'], $check, self::MAX_MAIL_DOMAINS) as $domain) {
            Form::text($domain, $check);
        }
        $spf = Form::fields($report['spf'], $check, 'domain result');
        self::nullable($spf, ['domain'], $check);
        foreach ([$dkim, $spf] as $each) {
            Form::text($each['result'], $check, self::RESULT);
        }
        $peer = Form::fields($report['peer'], $check, 'helo ip tls');
        self::texts($peer, ['helo', 'ip'], $check);
        if ($peer['tls'] !== null) {
            $tls = Form::fields($peer['tls'], $check, 'cipher version');
            self::texts($tls, ['cipher', 'version'], $check);
        }
        Form::text($report['mail_from'], $check);
        Form::text($report['sha256'], $check, Form::HEX);
        Form::text($report['vouched_by'] ?? 'dkim', $check, '/\A(?:network|dkim|spf|helo)\z/');
    }
}

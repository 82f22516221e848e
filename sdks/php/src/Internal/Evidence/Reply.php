<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The mail by which a recipient acknowledges, and its DKIM signature. RFC 6376, RFC 8463 @internal */
final class Reply
{
    private const SIGNED = ['from', 'to', 'subject'];
    private const MAX_SIGNATURES = 8;
    /** RFC 8301 §3.2 */
    private const MIN_RSA_BITS = 1_024;
    private const ADDRESS = '~\A[A-Za-z0-9!#$%&\'*+/=?^_`{|}\~.-]+@[A-Za-z0-9.-]+\z~';

    /** @var list<array{string, string, int}> */
    private readonly array $fields;

    /** @throws Refused */
    private function __construct(
        private readonly string $mail,
        private readonly array $key,
        private readonly string $check,
    ) {
        $this->fields = Layers::fields($mail, $check);
    }

    /**
     * @param array $opened the openings of the outcome
     * @param ?string $recipient null where it is not opened
     * @throws Refused
     */
    public static function check(
        string $mail,
        array $opened,
        string $messageId,
        ?string $recipient,
        string $check,
    ): void {
        $facts = (array) $opened['facts']['value'];
        $key = (array) ((array) $facts['acknowledgement'])['dkim'];
        $came = ((array) $facts['reported_by_mail'])['sha256'];
        Form::need($came === $opened['dsn']['sha256'], $check, 'the mail is not kept as it came');
        (new self($mail, $key, $check))->judge('ack+' . str_replace('-', '', $messageId) . '-', $recipient);
    }

    private function judge(string $place, ?string $recipient): void
    {
        $values = [];
        foreach (self::SIGNED as $name) {
            $found = $this->named($name);
            Form::need(count($found) === 1, $this->check, "there is not one field $name");
            $values[$name] = substr(Layers::relaxedField($found[0]), strlen($name) + 1, -2);
        }
        $own = str_starts_with(self::oneAddress($values['to']) ?? '', $place);
        Form::need($own, $this->check, 'To is not the address of this message alone');
        $sender = self::oneAddress($values['from']);
        Form::need($sender !== null, $this->check, 'From is not one address');
        $same = $recipient === null || strtolower($recipient) === $sender;
        Form::need($same, $this->check, 'From is not the recipient');
        $domain = substr(strrchr($sender, '@'), 1);
        $aligned = self::isAligned(strtolower($this->key['domain']), $domain);
        Form::need($aligned, $this->check, 'signed by another domain than that of From');
        foreach (array_slice($this->named('dkim-signature'), 0, self::MAX_SIGNATURES) as $field) {
            if ($this->holds($field)) {
                return;
            }
        }
        Form::need(false, $this->check, 'no signature holds under the key of the facts');
    }

    private function named(string $name): array
    {
        return array_values(array_filter($this->fields, static fn (array $field) => $field[0] === $name));
    }

    private static function oneAddress(string $value): ?string
    {
        $bare = preg_replace('/"[^"]*+"/', '', $value);
        $open = strpos($bare, '<');
        $address = $bare;
        if ($open !== false) {
            $address = str_ends_with($bare, '>') ? substr($bare, $open + 1, -1) : '';
        }
        $before = $open === false ? '' : substr($bare, 0, $open);
        $one = preg_match(self::ADDRESS, $address) === 1 && strpbrk($before, '@,;:()<>') === false;
        return $one ? strtolower($address) : null;
    }

    /** The same domain, or one of the two is above the other; never one of a single label. */
    private static function isAligned(string $signer, string $domain): bool
    {
        if (!str_contains($signer, '.') || !str_contains($domain, '.')) {
            return false;
        }
        return $signer === $domain || str_ends_with($signer, ".$domain") || str_ends_with($domain, ".$signer");
    }

    private function holds(array $field): bool
    {
        [$start, $value] = explode(':', $field[1], 2);
        $tags = self::tags($value);
        $of = [strtolower($tags['d'] ?? ''), $tags['s'] ?? '', $tags['a'] ?? ''];
        $wanted = [$this->key['domain'], $this->key['selector'], $this->key['algorithm']];
        $formed = preg_match('~\A(relaxed|simple)?(?:/(relaxed|simple))?\z~', $tags['c'] ?? '', $forms) === 1;
        $names = explode(':', strtolower($tags['h'] ?? ''));
        $covers = array_diff(self::SIGNED, $names) === [] && !isset($tags['l']);
        if ($of !== $wanted || !$formed || !$covers || ($tags['v'] ?? '') !== '1') {
            return false;
        }
        $body = ($forms[2] ?? '') === 'relaxed' ? Layers::relaxedBody($this->mail) : $this->simpleBody();
        if (base64_encode(hash('sha256', $body, true)) !== ($tags['bh'] ?? '')) {
            return false;
        }
        $relaxed = ($forms[1] ?? '') === 'relaxed';
        $left = array_reverse($this->fields);
        $text = '';
        foreach ($names as $name) {
            foreach ($left as $at => $each) {
                if ($name !== '' && $each[0] === $name) {
                    $text .= self::formed($each, $relaxed) . "\r\n";
                    unset($left[$at]);
                    break;
                }
            }
        }
        $value = preg_replace('/(^|;)([ \t\r\n]*+b[ \t\r\n]*+=)[^;]*+/D', '$1$2', $value, 1);
        $text .= self::formed([$field[0], "$start:$value", 0], $relaxed);
        $signature = base64_decode($tags['b'] ?? '', true);
        $whole = $signature !== false && base64_encode($signature) === $tags['b'];
        return $whole && $this->isSigned($text, $signature);
    }

    /** None for a value that is not ASCII or has a tag twice. RFC 6376 §3.2 */
    private static function tags(string $value): array
    {
        $tags = [];
        if (preg_match('/[^\x00-\x7e]/', $value) === 1) {
            return [];
        }
        foreach (explode(';', $value) as $part) {
            if (!str_contains($part, '=')) {
                continue;
            }
            [$name, $text] = explode('=', $part, 2);
            $name = trim($name, " \t\r\n\v\f");
            if (isset($tags[$name])) {
                return [];
            }
            $tags[$name] = preg_replace('/[ \t\r\n]++/', '', $text);
        }
        return $tags;
    }

    private function simpleBody(): string
    {
        $parts = explode("\r\n\r\n", "\r\n{$this->mail}", 2);
        $body = $parts[1] ?? '';
        while (str_ends_with($body, "\r\n")) {
            $body = substr($body, 0, -2);
        }
        return "$body\r\n";
    }

    /** Without the CRLF at its end. */
    private static function formed(array $field, bool $relaxed): string
    {
        return $relaxed ? substr(Layers::relaxedField($field), 0, -2) : $field[1];
    }

    private function isSigned(string $text, string $signature): bool
    {
        $public = base64_decode($this->key['public_key'], true);
        if ($public === false) {
            return false;
        }
        if ($this->key['algorithm'] === 'ed25519-sha256') {
            return Ed25519::isSignature($public, $signature, hash('sha256', $text, true));
        }
        $lines = chunk_split(base64_encode($public), 64, "\n");
        $key = openssl_pkey_get_public("-----BEGIN PUBLIC KEY-----\n$lines-----END PUBLIC KEY-----\n");
        $facts = $key === false ? false : openssl_pkey_get_details($key);
        return $facts !== false
            && $facts['type'] === OPENSSL_KEYTYPE_RSA
            && $facts['bits'] >= self::MIN_RSA_BITS
            && openssl_verify($text, $signature, $key, OPENSSL_ALGO_SHA256) === 1;
    }
}

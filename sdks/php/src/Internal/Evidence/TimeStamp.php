<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A time-stamp with its chain, under one authority: docs/evidence-format.md, section 7. @internal */
final class TimeStamp
{
    private const CONTENT_TYPE = '1.2.840.113549.1.9.3';
    private const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
    /** ESSCertIDv2 and ESSCertID, with the hash that they have unless they name one. RFC 5816 §2.2.1 */
    private const SIGNING_CERTIFICATE = [
        '1.2.840.113549.1.9.16.2.47' => 'sha256',
        '1.2.840.113549.1.9.16.2.12' => 'sha1',
    ];
    private const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
    private const MAX_CHAIN = 8;
    private const HASHES = ['sha256', 'sha384', 'sha512'];
    /** Tags of an issuer's name and of a key identifier. */
    private const DIRECTORY_NAME = 0xa4;
    private const KEY_ID = 0x80;

    /** @param list<Certificate> $chain signer first */
    private function __construct(
        private readonly Token $token,
        private readonly array $chain,
        private readonly string $check,
    ) {
    }

    /**
     * Its time, the first authority under which all holds, at that time and at the later one, and its chain.
     * @param list<array<string, mixed>> $authorities
     * @param string $data what is stamped
     * @param string $hash of the imprint
     * @return array{\DateTimeImmutable, array<string, mixed>, list<Certificate>}
     * @throws Refused
     */
    public static function verify(
        array $files,
        StampName $name,
        array $authorities,
        string $data,
        ?\DateTimeInterface $alsoAt,
    ): array {
        $check = $name->check;
        try {
            $token = Token::read($files[$name->token]);
        } catch (DerProblem $problem) {
            throw new Refused($check, "a time-stamp that cannot be read: {$problem->getMessage()}");
        }
        try {
            $chain = Certificate::chain($files[$name->chain] ?? '');
        } catch (DerProblem $problem) {
            throw new Refused("{$check}_chain", "a chain that cannot be read: {$problem->getMessage()}");
        }
        $long = count($chain) < 1 || count($chain) > self::MAX_CHAIN;
        Form::need(!$long, "{$check}_chain", 'no chain, or too long');
        $stamp = new self($token, $chain, $check);
        $reason = new Refused($check, 'no authority is trusted at that time');
        foreach ($authorities as $authority) {
            if (!Window::read($authority, $check)->holds(Times::of($token->time))) {
                continue;
            }
            try {
                $stamp->under($authority, hash($name->hash, $data, true), $name->hash, $alsoAt);
                $carried = $token->carried === [] || in_array($chain[0]->der, $token->carried, true);
                $told = 'the token carries other certificates than its signer\'s';
                Form::need($carried, "{$check}_chain", $told);
                return [$token->time, $authority, $chain];
            } catch (DerProblem $problem) {
                $reason = new Refused($check, "it cannot be read: {$problem->getMessage()}");
            } catch (Refused $problem) {
                $reason = $problem;
            }
        }
        throw $reason;
    }

    /** What a token says, in milliseconds, of which nothing is verified; null where that cannot be read. */
    public static function statedTime(string $reply): ?int
    {
        try {
            return Times::of(Token::read($reply)->time);
        } catch (DerProblem) {
            return null;
        }
    }

    /** @throws Refused @throws DerProblem */
    private function under(array $authority, string $imprint, string $hash, ?\DateTimeInterface $alsoAt): void
    {
        $allowed = $this->token->hash === $hash && in_array($hash, $authority['hashAlgorithms'] ?? self::HASHES, true);
        $this->need($allowed, 'an imprint by another hash');
        $this->need($this->token->imprint === $imprint, 'it stamps something else');
        $policies = $authority['policies'] ?? [];
        $any = $authority['profile'] === 'rfc3161' && $policies === [];
        $this->need($any || in_array($this->token->policy, $policies, true), 'another policy');
        $this->checkAttributes();
        $this->checkSigner();
        $this->checkPurposes($authority);
        $this->checkChain($authority, $alsoAt === null ? [$this->token->time] : [$this->token->time, $alsoAt]);
    }

    /** Each once, and SHA-2 throughout. */
    private function checkAttributes(): void
    {
        $token = $this->token;
        $this->need($token->digest !== null, 'a digest that is not SHA-2');
        $kinds = array_map(static fn (Der $each): string => $each->oid(), $token->attributes[self::CONTENT_TYPE] ?? []);
        $this->need($kinds === [Token::TST_INFO], 'not signed as a TSTInfo');
        $digests = array_map(
            static fn (Der $each): string => $each->of(Der::OCTETS)->content,
            $token->attributes[self::MESSAGE_DIGEST] ?? [],
        );
        $own = hash((string) $token->digest, $token->content, true);
        $this->need($digests === [$own], 'the message digest is another\'s');
    }

    private function checkSigner(): void
    {
        [$token, $leaf] = [$this->token, $this->chain[0]];
        if ($token->signer->tag === Der::SEQUENCE) {
            [$issuer, $serial] = $token->signer->sequence(2, 2);
            $named = $issuer->whole === $leaf->issuer && $serial->content === $leaf->serial;
        } else {
            $named = $token->signer->tag === self::KEY_ID && $leaf->keyId() === $token->signer->content;
        }
        Form::need($named, "{$this->check}_chain", 'its first certificate is not the signer\'s');
        $signed = PublicKey::signed($leaf->key, $token->algorithm, $token->digest, $token->signed, $token->signature);
        $this->need($signed, 'the signature does not verify');
        $names = array_intersect_key(self::SIGNING_CERTIFICATE, $token->attributes);
        $this->need($names !== [], 'no attribute names the signer\'s certificate');
        foreach ($names as $oid => $hash) {
            $this->checkNamed($token->attributes[$oid], $hash);
        }
    }

    /** The attribute that binds a token to its signer's certificate. RFC 5816 §2.2.1 */
    private function checkNamed(array $values, string $hash): void
    {
        $leaf = $this->chain[0];
        $this->need(count($values) === 1, 'several attributes name the signer\'s certificate');
        $fields = $values[0]->sequence(1)[0]->sequence(1)[0]->sequence(1, 3);
        if ($hash === 'sha256' && $fields[0]->tag === Der::SEQUENCE) {
            $hash = Algorithm::of(array_shift($fields))->hash() ?? '';
            $this->need($hash !== '' && $fields !== [], 'the certificate is named by a hash that is not SHA-2');
        }
        $same = $fields[0]->of(Der::OCTETS)->content === hash($hash, $leaf->der, true);
        if (isset($fields[1])) {
            [$names, $serial] = $fields[1]->sequence(2, 2);
            [$name] = $names->sequence(1, 1);
            $same = $same && $name->of(self::DIRECTORY_NAME)->content === $leaf->issuer
                && $serial->content === $leaf->serial;
        }
        $this->need($same, 'an attribute names another certificate');
    }

    private function checkPurposes(array $authority): void
    {
        $leaf = $this->chain[0];
        [$critical, $purposes] = $leaf->purposes();
        $pinned = $authority['profile'] === 'nom151' ? $authority['leafEku'] ?? [] : [];
        $allowed = $pinned === []
            ? $critical && $purposes === [self::TIME_STAMPING]
            : $purposes !== [] && array_diff($purposes, $pinned) === [];
        $this->need($allowed, 'the signer has other extended key usages');
        $signs = $leaf->may(Certificate::SIGNS, Certificate::COMMITS)
            && !($leaf->limitsUse() && $leaf->may(Certificate::SIGNS_CERTIFICATES));
        $this->need($signs, 'the signer\'s key is for something else');
    }

    /** Signer first, pinned root last, which alone is trusted. RFC 5280 §6.1 */
    private function checkChain(array $authority, array $moments): void
    {
        $pinned = array_merge(...array_map(Certificate::roots(...), $authority['roots']));
        $this->need(in_array($this->chain[count($this->chain) - 1]->der, $pinned, true), 'under no trusted root');
        foreach ($this->chain as $certificate) {
            $this->need(!$certificate->hasUnknownCritical(), 'an extension that must be understood');
            foreach ($moments as $moment) {
                $valid = $certificate->begins <= $moment && $moment <= $certificate->ends;
                $told = 'a certificate of the chain is not valid at ' . $moment->format(\DATE_ATOM);
                $this->need($valid, $told);
            }
        }
        for ($depth = 0; $depth + 1 < count($this->chain); $depth++) {
            [$below, $above] = [$this->chain[$depth], $this->chain[$depth + 1]];
            $limit = $above->pathLimit();
            $this->need($below->issuer === $above->subject, 'a certificate that the next one did not issue');
            $this->need($limit === null || $limit >= $depth, 'an issuer that may not issue this');
            $this->need($above->may(Certificate::SIGNS_CERTIFICATES), 'an issuer whose key is for something else');
            $signed = PublicKey::signed($above->key, $below->algorithm, null, $below->signed, $below->signature);
            $this->need($signed, 'a certificate whose signature does not verify');
        }
    }

    private function need(bool $condition, string $detail): void
    {
        Form::need($condition, $this->check, $detail);
    }
}

<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The content of a time-stamp, and who signed it. RFC 3161 §2.4.2, RFC 5652 §5 @internal */
final readonly class Token
{
    public const TST_INFO = '1.2.840.113549.1.9.16.1.4';
    private const SIGNED_DATA = '1.2.840.113549.1.7.2';
    private const MAX_CERTIFICATES = 16;
    private const SERIAL_BYTES = 20;
    private const SIGNED_DATA_VERSION = 3;
    /** Certificates and revocation lists may be absent. */
    private const TAILS = [[0x31], [0xa0, 0x31], [0xa1, 0x31], [0xa0, 0xa1, 0x31]];

    /**
     * @param string $content the TSTInfo
     * @param list<string> $carried certificates in it
     * @param array<string, list<Der>> $attributes
     * @param string $signed the signed attributes as they are signed: a SET. RFC 5652 §5.4
     */
    private function __construct(
        public string $content,
        public string $policy,
        public ?string $hash,
        public string $imprint,
        public \DateTimeImmutable $time,
        public array $carried,
        public Der $signer,
        public ?string $digest,
        public array $attributes,
        public string $signed,
        public Algorithm $algorithm,
        public string $signature,
    ) {
    }

    /** Reads a TimeStampResp or a bare TimeStampToken. @throws DerProblem */
    public static function read(string $reply): self
    {
        $token = Der::only($reply);
        $parts = $token->sequence(2, 2);
        if ($parts[0]->tag !== Der::OID) {
            if (!in_array($parts[0]->sequence(1)[0]->small(), [0, 1], true)) {
                throw new DerProblem('the authority did not grant it');
            }
            $parts = $parts[1]->sequence(2, 2);
        }
        [$kind, $wrapped] = $parts;
        if ($kind->oid() !== self::SIGNED_DATA) {
            throw new DerProblem('no SignedData');
        }
        $fields = $wrapped->of(0xa0)->inner()->sequence(4);
        [$version, $digests, $content] = $fields;
        $rest = array_slice($fields, 3);
        [$kind, $wrapped] = $content->sequence(2, 2);
        if ($version->small() !== self::SIGNED_DATA_VERSION || $kind->oid() !== self::TST_INFO) {
            throw new DerProblem('not signed as a TSTInfo');
        }
        if (!in_array(array_column($rest, 'tag'), self::TAILS, true)) {
            throw new DerProblem('another form of SignedData');
        }
        $carried = $rest[0]->tag === 0xa0 ? array_column($rest[0]->children(), 'whole') : [];
        $signers = end($rest)->children();
        if (count($signers) !== 1 || count($carried) > self::MAX_CERTIFICATES) {
            throw new DerProblem('not one signer, or too many certificates');
        }
        $info = $wrapped->of(0xa0)->inner()->of(Der::OCTETS)->content;
        return self::ofSigner($info, $carried, $signers[0]->sequence(6, 7), $digests);
    }

    /** @param list<Der> $signer */
    private static function ofSigner(string $info, array $carried, array $signer, Der $digests): self
    {
        [$version, $identifier, $digest, $attributes, $algorithm, $signature] = $signer;
        if ($attributes->tag !== 0xa0 || ($signer[6]->tag ?? 0xa1) !== 0xa1) {
            throw new DerProblem('no signed attributes, or another form');
        }
        if ($version->small() !== ($identifier->tag === Der::SEQUENCE ? 1 : 3)) {
            throw new DerProblem('another version of SignerInfo');
        }
        $named = array_map(
            static fn (Der $each): string => Algorithm::of($each)->oid,
            $digests->of(Der::SET)->children(),
        );
        $own = Algorithm::of($digest);
        if (!in_array($own->oid, $named, true)) {
            throw new DerProblem('digestAlgorithms lacks the signer\'s');
        }
        $found = [];
        foreach ($attributes->children() as $attribute) {
            [$oid, $values] = $attribute->sequence(2, 2);
            $name = $oid->oid();
            $found[$name] = [...$found[$name] ?? [], ...$values->of(Der::SET)->children()];
        }
        [$policy, $imprint, $time] = self::stated($info);
        [$hashed, $octets] = $imprint->sequence(2, 2);
        return new self(
            $info,
            $policy->oid(),
            Algorithm::of($hashed)->hash(),
            $octets->of(Der::OCTETS)->content,
            $time->of(Der::GENERALIZED_TIME)->time(),
            $carried,
            $identifier,
            $own->hash(),
            $found,
            chr(Der::SET) . substr($attributes->whole, 1),
            Algorithm::of($algorithm),
            $signature->of(Der::OCTETS)->content,
        );
    }

    /** Policy, imprint and time of a TSTInfo. @return list<Der> */
    private static function stated(string $info): array
    {
        $fields = Der::only($info)->sequence(5);
        [$version, $policy, $imprint, $serial, $time] = $fields;
        $number = $serial->integer();
        $isLong = strlen($number) > self::SERIAL_BYTES + ($number[0] === "\0" ? 1 : 0);
        if ($version->small() !== 1 || ord($number[0]) > 0x7f || $isLong) {
            throw new DerProblem('another version of TSTInfo, or a serial number that is negative or too long');
        }
        foreach (array_slice($fields, 5) as $field) {
            foreach ($field->tag === 0xa1 ? $field->children() : [] as $extension) {
                if ($extension->sequence(2, 3)[1]->tag === Der::BOOLEAN) {
                    throw new DerProblem('an extension that must be understood');
                }
            }
        }
        return [$policy, $imprint, $time];
    }
}

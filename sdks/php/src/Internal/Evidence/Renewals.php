<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The bytes that renewals stamp: docs/evidence-format.md, section 7. @internal */
final class Renewals
{
    public const MAX = 32;
    private const MAX_LISTED = 512;
    private const LINE_BYTES = 129;
    private const SUM_BYTES = 130;

    /** @param array<string, string> $files */
    public function __construct(private readonly array $files)
    {
    }

    public function count(): int
    {
        return count(preg_grep('~\Arenewal/[0-9]{2}\.tsr\z~', array_keys($this->files)));
    }

    /** The bytes that one stamps: its sums, or a list that they are on. @throws Refused */
    public function stamped(int $number, string $check): string
    {
        $base = sprintf('renewal/%02d', $number);
        $sums = $this->files["$base.sums"] ?? '';
        $lines = '';
        foreach ($this->covered($number, $sums) as $name) {
            Form::need(isset($this->files[$name]), $check, "$name is missing");
            $lines .= hash('sha512', $this->files[$name]) . "  $name\n";
        }
        Form::need($lines === $sums, $check, 'not what was to be renewed');
        $list = $this->files["$base.list"] ?? null;
        if ($list === null) {
            return $sums;
        }
        $each = $list === '' ? [] : str_split($list, self::LINE_BYTES);
        $ordered = array_unique($each, SORT_STRING);
        sort($ordered, SORT_STRING);
        $form = preg_match('/\A(?:[0-9a-f]{128}\n){1,' . self::MAX_LISTED . '}\z/', $list) === 1;
        Form::need($form && $each === $ordered, $check, 'a list of another form');
        $listed = in_array(hash('sha512', $sums) . "\n", $each, true);
        Form::need($listed, $check, 'not on its list');
        return $list;
    }

    /**
     * Names, ascending: constancia, every earlier renewal, and what is named of the revocation data.
     * @return list<string>
     */
    private function covered(int $number, string $sums): array
    {
        $names = ['checkpoint.txt', 'constancia.tsr', 'chain/constancia.pem'];
        for ($earlier = 1; $earlier < $number; $earlier++) {
            $base = sprintf('renewal/%02d', $earlier);
            array_push($names, "$base.sums", "$base.tsr", sprintf('chain/renewal-%02d.pem', $earlier));
            if (isset($this->files["$base.list"])) {
                $names[] = "$base.list";
            }
        }
        foreach (explode("\n", $sums) as $line) {
            $name = substr($line, self::SUM_BYTES);
            if (str_starts_with($name, 'revocation/') && isset($this->files[$name])) {
                $names[] = $name;
            }
        }
        $names = array_unique($names);
        sort($names, SORT_STRING);
        return $names;
    }
}

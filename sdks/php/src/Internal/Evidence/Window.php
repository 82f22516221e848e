<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** When a key or an authority is trusted; null: no bound. @internal */
final readonly class Window
{
    public function __construct(private ?int $begins = null, private ?int $ends = null)
    {
    }

    /** Reads `from` and `until`. @throws Refused */
    public static function read(array $found, string $check): self
    {
        $bounds = [];
        foreach (['from', 'until'] as $name) {
            $bounds[] = array_key_exists($name, $found) ? Times::ofText(Form::time($found[$name], $check)) : null;
        }
        [$begins, $ends] = $bounds;
        $opens = $begins === null || $ends === null || $begins < $ends;
        Form::need($opens, $check, 'until is not after from');
        return new self($begins, $ends);
    }

    /** The end is not in it. */
    public function holds(int $at): bool
    {
        return ($this->begins === null || $this->begins <= $at) && ($this->ends === null || $at < $this->ends);
    }
}

import { Check } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button, type ButtonKind, type Icon } from './button.tsx';
import classes from './menu.module.css';

/** A line of a menu: an action, or one of several choices. */
export interface MenuItem {
  readonly label: ReactNode;
  readonly onSelect: () => void;
  readonly icon?: Icon;
  readonly danger?: boolean;
  readonly checked?: boolean;
  /** Why it cannot be used. */
  readonly unavailable?: string | null;
}

export interface MenuGroup {
  readonly title?: string;
  readonly items: readonly MenuItem[];
}

export interface MenuProps {
  /** On the button; with an icon of its own the name for those who listen. */
  readonly label: string;
  readonly icon?: Icon;
  readonly kind?: ButtonKind;
  readonly groups: readonly MenuGroup[];
  /** Its left side is the button's. */
  readonly start?: boolean;
}

/** A button that opens a list of things to do. APG pattern: menu button. */
export function Menu({ label, icon, kind = 'plain', groups, start = false }: MenuProps) {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return undefined;
    itemsOf(anchor.current)[0]?.focus();
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && anchor.current?.contains(event.target) === false) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears keys of the menu inside
    <span
      ref={anchor}
      className={classes['anchor']}
      onKeyDown={(event) => open && onKey(event, anchor.current, close)}
    >
      <Button
        ref={button}
        kind={kind}
        {...(icon !== undefined && { icon })}
        {...(kind === 'icon' && { label })}
        expanded={open}
        controls={id}
        onClick={() => setOpen(!open)}
      >
        {kind === 'icon' ? undefined : label}
      </Button>
      <div
        id={id}
        role="menu"
        aria-label={label}
        hidden={!open}
        className={`${classes['list']} ${start ? classes['start'] : ''}`}
      >
        {groups.map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups never change places
          <MenuItems key={index} group={group} onDone={close} />
        ))}
      </div>
    </span>
  );
}

function MenuItems({ group, onDone }: { group: MenuGroup; onDone: () => void }) {
  const isChoice = group.items.some(({ checked }) => checked !== undefined);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of menu items, which a fieldset is not
    <div role="group" aria-label={group.title}>
      {group.title !== undefined && (
        <div className={classes['group']} aria-hidden="true">
          {group.title}
        </div>
      )}
      {group.items.map((item, index) => (
        // biome-ignore lint/a11y/useAriaPropsSupportedByRole: its role is of those that can be checked
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: items never change places
          key={index}
          type="button"
          role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
          aria-checked={item.checked}
          aria-disabled={item.unavailable ? true : undefined}
          title={item.unavailable ?? undefined}
          tabIndex={-1}
          className={`${classes['item']} ${item.danger === true ? classes['danger'] : ''}`}
          onClick={() => {
            if (item.unavailable) return;
            onDone();
            item.onSelect();
          }}
        >
          {isChoice && (
            <span className={classes['mark']}>
              {item.checked === true && <Check size={16} aria-hidden="true" />}
            </span>
          )}
          {item.icon !== undefined && <item.icon size={16} aria-hidden="true" />}
          {item.label}
        </button>
      ))}
    </div>
  );
}

function itemsOf(anchor: HTMLElement | null): HTMLElement[] {
  return [...(anchor?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
}

function onKey(event: KeyboardEvent, anchor: HTMLElement | null, close: () => void): void {
  const items = itemsOf(anchor);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const targets: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const target = targets[event.key];
  if (event.key === 'Escape') close();
  else if (target !== undefined) items[target]?.focus();
  else {
    if (event.key === 'Tab') close();
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

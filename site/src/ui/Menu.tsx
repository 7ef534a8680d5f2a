import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button, IconButton } from './Button.tsx'
import { Icon } from './Icon.tsx'
import type { IconName } from './icons.ts'
import { typedKey } from './keys/typedKey.ts'

export interface MenuItem {
  readonly label: string
  readonly icon: IconName
  /** The shortcut, as it is shown. */
  readonly keys?: string
  readonly danger?: boolean
  readonly onSelect: () => void
}

interface MenuProps {
  readonly label: string
  readonly items: readonly MenuItem[]
  /** Shows an icon instead of the label. */
  readonly compact?: boolean
  readonly busy?: boolean
}

/**
 * A button that opens a menu of named actions with their shortcuts, below it and aligned with its end unless that would leave the
 * window. Arrow keys move, Escape closes the menu alone.
 */
export function Menu({ label, items, compact = false, busy = false }: MenuProps) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const entries = () => [...(box.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
  const close = () => {
    setOpen(false)
    box.current?.querySelector('button')?.focus()
  }
  useLayoutEffect(() => {
    if (!open) return
    const list = box.current?.querySelector('.menu-list')
    const { bottom = 0, left = 0 } = list?.getBoundingClientRect() ?? {}
    list?.classList.toggle('menu-above', bottom > innerHeight)
    list?.classList.toggle('menu-start', left < 0)
    box.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus()
    const leave = (event: Event) => box.current?.contains(event.target as Node) || setOpen(false)
    document.addEventListener('pointerdown', leave)
    return () => document.removeEventListener('pointerdown', leave)
  }, [open])

  const onKeyDown = (event: KeyboardEvent) => {
    const typed = typedKey(event.nativeEvent)
    if (!open || typed === undefined) return
    const all = entries()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[typed]
    if (to !== undefined) all.at(to % all.length)?.focus()
    else if (typed === 'Escape') close()
    else if (typed === 'Tab') return setOpen(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  const trigger = {
    label,
    busy,
    'aria-haspopup': 'menu',
    'aria-expanded': open,
    'aria-controls': open ? id : undefined,
    onClick: () => setOpen(!open),
  } as const
  return (
    <div className="menu" ref={box}>
      {compact ? (
        <IconButton icon="more" {...trigger} />
      ) : (
        <Button variant="outline" wide {...trigger}>
          {label}
          <Icon name="chevron" />
        </Button>
      )}
      {open && (
        <div className="menu-list" id={id} role="menu" aria-label={label} onKeyDown={onKeyDown}>
          {items.map((item) => (
            <MenuAction
              key={item.label}
              {...item}
              onSelect={() => {
                close()
                item.onSelect()
              }}
            />
          ))}
        </div>
      )}
    </div>
  )
}

const MenuAction = ({ label, icon, keys, danger, onSelect }: MenuItem) => (
  <button
    type="button"
    role="menuitem"
    tabIndex={-1}
    aria-keyshortcuts={keys}
    className={danger ? 'menu-action menu-danger' : 'menu-action'}
    onClick={onSelect}
  >
    <Icon name={icon} />
    <span>{label}</span>
    {keys && (
      <small className="kbd" aria-hidden="true">
        {keys}
      </small>
    )}
  </button>
)

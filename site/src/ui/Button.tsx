import type { ComponentProps, ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import type { IconName } from './icons.ts'

type ButtonProps = ComponentProps<'button'> & {
  readonly variant?: 'plain' | 'primary' | 'outline' | 'quiet' | 'danger'
  readonly size?: 'normal' | 'large'
  readonly wide?: boolean
  readonly busy?: boolean
  readonly icon?: IconName
  readonly children: ReactNode
}

const classes = (variant: string, size: string, wide: boolean) =>
  ['button', variant !== 'plain' && `button-${variant}`, size === 'large' && 'button-large', wide && 'button-wide']
    .filter(Boolean)
    .join(' ')

/** A button. While busy it shows a spinner, keeps its focus and ignores clicks. */
export function Button(props: ButtonProps) {
  const { variant = 'plain', size = 'normal', wide = false, busy = false, icon, children, onClick, ...rest } = props
  return (
    <button
      type="button"
      {...rest}
      className={classes(variant, size, wide)}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

type IconButtonProps = ComponentProps<'button'> & {
  readonly label: string
  readonly icon: IconName
  readonly busy?: boolean
  readonly danger?: boolean
}

/** A button that shows only an icon. Its label is read out and appears on hover. */
export function IconButton({ label, icon, busy = false, danger = false, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={danger ? 'icon-button icon-button-danger' : 'icon-button'}
      aria-label={label}
      title={label}
      aria-busy={busy || undefined}
      disabled={busy || rest.disabled}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : <Icon name={icon} />}
    </button>
  )
}

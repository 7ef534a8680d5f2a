import type { ComponentProps } from 'react'
import { localHref } from '../i18n/client.ts'
import { Icon } from './Icon.tsx'
import type { IconName } from './icons.ts'

interface Look {
  readonly label?: string
  readonly variant?: 'plain' | 'primary' | 'outline' | 'quiet' | 'danger'
  readonly size?: 'normal' | 'large'
  readonly wide?: boolean
}

type ButtonProps = ComponentProps<'button'> & Look & { readonly busy?: boolean; readonly icon?: IconName }

const classes = ({ variant = 'plain', size, wide }: Look) =>
  ['button', variant !== 'plain' && `button-${variant}`, size === 'large' && 'button-large', wide && 'button-wide']
    .filter(Boolean)
    .join(' ')

/** A button with a label or custom content. While busy, it shows a spinner, keeps its focus and ignores clicks. */
export function Button(props: ButtonProps) {
  const { label, variant, size, wide, busy = false, icon, children = label, onClick, ...rest } = props
  return (
    <button
      type="button"
      {...rest}
      className={classes(props)}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface SubmitButtonProps {
  readonly label: string
  readonly busy: boolean
  readonly ready: boolean
  readonly variant?: 'primary' | 'outline'
}

/** A full-width submit button, for pages with a single form. */
export const SubmitButton = ({ ready, ...props }: SubmitButtonProps) => (
  <Button type="submit" variant="primary" size="large" wide disabled={!ready} {...props} />
)

/** An address, or a path that gets the page's language. */
type Target = { readonly href: string } | { readonly to: string }

/** A link that looks like a button. */
export const LinkButton = ({ label, ...props }: Look & Target) => (
  <a className={classes(props)} href={'to' in props ? localHref(props.to) : props.href}>
    {label}
  </a>
)

type IconButtonProps = ComponentProps<'button'> & {
  readonly label: string
  readonly icon: IconName
  readonly busy?: boolean
  readonly danger?: boolean
}

/**
 * A button that shows only an icon. Screen readers announce its label, which tooltips also show. While busy, it shows a
 * spinner. While busy or disabled, it keeps its focus and ignores clicks.
 */
export function IconButton(props: IconButtonProps) {
  const { label, icon, busy = false, danger = false, disabled = false, onClick, ...rest } = props
  return (
    <button
      type="button"
      {...rest}
      className={danger ? 'icon-button icon-button-danger' : 'icon-button'}
      aria-label={label}
      aria-busy={busy || undefined}
      aria-disabled={disabled || undefined}
      onClick={busy || disabled ? undefined : onClick}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : <Icon name={icon} />}
    </button>
  )
}

import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import type { Translate } from '../i18n/keys.ts'
import { IconButton } from './Button.tsx'
import { Icon } from './Icon.tsx'

/** The validation error of a field. */
export function Fault({ id, text }: { id: string; text: string }) {
  return (
    <p className="fault" id={id}>
      <Icon name="alert" />
      <span>{text}</span>
    </p>
  )
}

interface Labelled {
  readonly label: string
  readonly hint?: string
  readonly fault?: string | undefined
}

function Frame(props: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="stack field">
      <label htmlFor={props.id}>{props.label}</label>
      {props.children}
      {props.hint && !props.fault && (
        <p className="hint" id={`${props.id}-hint`}>
          {props.hint}
        </p>
      )}
      {props.fault && <Fault id={`${props.id}-fault`} text={props.fault} />}
    </div>
  )
}

const described = (id: string, { hint, fault }: Labelled) => {
  if (fault) return `${id}-fault`
  return hint ? `${id}-hint` : undefined
}

/** An input with its label, hint and validation error. */
export function Field({ label, hint, fault, ...input }: Labelled & ComponentProps<'input'>) {
  const id = useId()
  const labelled = { label, fault, ...(hint ? { hint } : {}) }
  return (
    <Frame id={id} {...labelled}>
      <input
        className="input"
        id={id}
        type="text"
        aria-invalid={fault ? true : undefined}
        aria-describedby={described(id, labelled)}
        {...input}
      />
    </Frame>
  )
}

type PasswordProps = Labelled & ComponentProps<'input'> & { readonly t: Translate }

/** An input for the current password, or another one by `autoComplete`, with a button that reveals it. */
export function PasswordField({ t, label, hint, fault, ...input }: PasswordProps) {
  const id = useId()
  const [visible, setVisible] = useState(false)
  const labelled = { label, fault, ...(hint ? { hint } : {}) }
  return (
    <Frame id={id} {...labelled}>
      <div className="input-with-button">
        <input
          className="input"
          id={id}
          type={visible ? 'text' : 'password'}
          autoComplete="current-password"
          aria-invalid={fault ? true : undefined}
          aria-describedby={described(id, labelled)}
          {...input}
        />
        <IconButton
          icon={visible ? 'eyeOff' : 'eye'}
          label={t(visible ? 'common.password.hide' : 'common.password.show')}
          onClick={() => setVisible(!visible)}
        />
      </div>
    </Frame>
  )
}

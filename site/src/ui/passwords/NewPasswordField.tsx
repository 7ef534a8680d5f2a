import { type ComponentProps, useState } from 'react'
import { PasswordField } from '../Field.tsx'
import { passwordStrength } from './passwordStrength.ts'

type NewPasswordProps = Omit<ComponentProps<typeof PasswordField>, 'hint'>

/** A password input that shows the password's strength as the user types. */
export function NewPasswordField({ t, onInput, ...field }: NewPasswordProps) {
  const [text, setText] = useState('')
  const strength = passwordStrength(text)
  return (
    <div className="stack">
      <PasswordField
        t={t}
        hint={t('auth.field.passwordHint')}
        autoComplete="new-password"
        {...field}
        onInput={(event) => {
          setText(event.currentTarget.value)
          onInput?.(event)
        }}
      />
      <div className="strength" data-strength={text ? strength : undefined}>
        <span className="strength-bar" aria-hidden="true" />
        <span className="hint" role="status">
          {text && t('auth.field.strength', { level: t(`auth.field.${strength}`) })}
        </span>
      </div>
    </div>
  )
}

import type { ComponentProps } from 'react'
import { Field } from '../Field.tsx'

/** A field for the code of an authenticator app or a recovery code. */
export const CodeField = (props: ComponentProps<typeof Field>) => (
  <Field autoComplete="one-time-code" autoCapitalize="none" spellCheck={false} maxLength={64} {...props} />
)

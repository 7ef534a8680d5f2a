import type { ComponentProps } from 'react'
import { ApiError } from '../../../api/apiError.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { PasswordField } from '../../../ui/Field.tsx'
import { FirstPassword, PasswordKnown } from '../PasswordSetting.tsx'

/** Asks for the password, or says how an account without one confirms. */
export function KeyProof(field: Omit<ComponentProps<typeof PasswordField>, 't' | 'label'>) {
  const t = translate()
  return (
    <PasswordKnown>
      {(hasPassword) =>
        hasPassword ? (
          <PasswordField t={t} label={t('keys.form.password')} {...field} />
        ) : (
          <>
            <p>{t('keys.form.noPassword')}</p>
            <FirstPassword />
          </>
        )
      }
    </PasswordKnown>
  )
}

/** Returns why a key was not made. There is no mailed link that confirms one. */
export function proofText(problem: unknown): string | undefined {
  const t = translate()
  if (problem === undefined) return undefined
  const needsPassword = problem instanceof ApiError && problem.code === 'mail_required'
  return needsPassword ? t('keys.form.needsPassword') : errorText(problem, t('keys.form.failed'))
}

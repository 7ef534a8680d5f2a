import { useState } from 'react'
import { isTokenRefused, secure } from '../../api/account.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { useBusy } from '../../ui/useBusy.ts'

interface SecureAccountProps {
  readonly token: string
  /** Called with the token that sets a new password. */
  readonly onSecured: (resetToken: string) => void
}

/** Ends every session with the link of a new-device mail. Waits for a click, because mail scanners open links. */
export function SecureAccount({ token, onSecured }: SecureAccountProps) {
  const t = translate()
  const [problem, setProblem] = useState<unknown>()
  const [busy, run] = useBusy()
  const refused = isTokenRefused(problem)
  const sentence = refused ? t('auth.secure.linkRefused') : errorText(problem)
  const submit = () =>
    run(async () => {
      setProblem(undefined)
      await secure(token).then(onSecured, setProblem)
    })
  return (
    <>
      <h1>{t('auth.secure.heading')}</h1>
      <p className="muted auth-lead">{t('auth.secure.lead')}</p>
      <div className="stack stack-wide">
        <FormProblem text={problem === undefined ? undefined : sentence} />
        {refused ? (
          <LinkButton label={t('auth.reset.newLink')} variant="outline" wide to="/auth/forgot-password" />
        ) : (
          <Button variant="primary" size="large" wide busy={busy} onClick={submit}>
            {t('auth.secure.submit')}
          </Button>
        )}
      </div>
    </>
  )
}

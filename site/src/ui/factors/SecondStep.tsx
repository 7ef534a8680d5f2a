import { useEffect, useId, useRef } from 'react'
import { CodeEntry } from '#backend/accounts/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button, SubmitButton } from '../Button.tsx'
import { FormProblem } from '../FormProblem.tsx'
import { useForm } from '../useForm.ts'
import { CodeField } from './CodeField.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'

interface SecondStepProps {
  readonly send: (code: string) => Promise<void>
  readonly sendPasskey: () => Promise<void>
  readonly onBack: () => void
}

/** Second step of a sign-in: asks for a code after the password was correct. */
export function SecondStep({ send, sendPasskey, onBack }: SecondStepProps) {
  const t = translate()
  const { form, field, problem, busy, ready } = useForm(CodeEntry, ({ code }) => send(code))
  const first = useRef<HTMLFieldSetElement>(null)
  const lead = useId()
  useEffect(() => first.current?.querySelector('input')?.focus(), [])
  return (
    <form className="stack stack-wide" {...form}>
      <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
      <p id={lead}>{t('auth.second.lead')}</p>
      {/* Screen readers read the name of the group when its field gets the focus. */}
      <fieldset ref={first} aria-labelledby={lead}>
        <CodeField label={t('auth.second.code')} {...field('code')} />
      </fieldset>
      <SubmitButton label={t('auth.second.submit')} busy={busy} ready={ready} />
      <PasskeyButton send={sendPasskey} />
      <Button variant="quiet" onClick={onBack}>
        {t('auth.second.back')}
      </Button>
    </form>
  )
}

import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { SubmitButton } from '../../ui/Button.tsx'

interface ResetFormEndProps {
  readonly submit: string
  readonly busy: boolean
  readonly ready: boolean
}

/** The submit button of a reset form, and the link back to the login page. */
export function ResetFormEnd({ submit, busy, ready }: ResetFormEndProps) {
  return (
    <>
      <SubmitButton label={submit} busy={busy} ready={ready} />
      <p className="form-foot">
        <a className="link" href={localHref('/auth/login')}>
          {translate()('auth.reset.toLogin')}
        </a>
      </p>
    </>
  )
}

/** Returns the message of a failed reset: the rate limit's own, or the form's general one. */
export const resetFailure = (problem: unknown, general: string): string =>
  problem instanceof ApiError && problem.code === 'too_many_requests' ? errorText(problem) : general

import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { SubmitButton } from '../../ui/Button.tsx'

interface ResetFormEndProps {
  readonly submit: string
  readonly busy: boolean
  readonly ready: boolean
}

/** Submit button of a reset form and link back to the login page. */
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

/** Returns the rate-limit message if the reset was rate limited, or `general` otherwise. */
export const resetFailure = (problem: unknown, general: string): string =>
  problem instanceof ApiError && problem.code === 'too_many_requests' ? errorText(problem) : general

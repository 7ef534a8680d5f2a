import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'

interface ResetFormEndProps {
  readonly submit: string
  readonly busy: boolean
  readonly ready: boolean
}

/** The button of a form about a new password, and the way back to the login page. */
export function ResetFormEnd({ submit, busy, ready }: ResetFormEndProps) {
  return (
    <>
      <Button type="submit" look="primary" size="large" wide busy={busy} disabled={!ready}>
        {submit}
      </Button>
      <p className="form-foot">
        <a className="link" href={localHref('/auth/login')}>
          {translate()('auth.reset.toLogin')}
        </a>
      </p>
    </>
  )
}

/** What the form says of a failure: whoever asks too often is told so, everything else has the form's own sentence. */
export const resetFailure = (problem: unknown, general: string): string =>
  problem instanceof ApiError && problem.code === 'too_many_requests' ? errorText(problem) : general

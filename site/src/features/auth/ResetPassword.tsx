import { useState } from 'react'
import { resetScreen } from '../../api/account.ts'
import { NewPasswordForm } from './NewPasswordForm.tsx'
import { ResetRequest } from './ResetRequest.tsx'

/** Shows the new-password form, or the form that requests a reset link if the URL has no token. */
export function ResetPassword() {
  const [screen] = useState(() => resetScreen(location))
  return screen.token === undefined ? (
    <ResetRequest missingToken={screen.missing} />
  ) : (
    <NewPasswordForm token={screen.token} />
  )
}

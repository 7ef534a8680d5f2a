import { useState } from 'react'
import { resetScreen } from '../../api/account.ts'
import { NewPasswordForm } from './NewPasswordForm.tsx'
import { ResetRequest } from './ResetRequest.tsx'

/** Sets a new password with the token of a reset link, or requests a link if there is no token. */
export function ResetPassword() {
  const [screen] = useState(() => resetScreen(location))
  return screen.token === undefined ? (
    <ResetRequest missingToken={screen.missing} />
  ) : (
    <NewPasswordForm token={screen.token} />
  )
}

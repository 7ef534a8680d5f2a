import { useState } from 'react'
import { resetScreen } from '../../api/account.ts'
import { NewPasswordForm } from './NewPasswordForm.tsx'
import { ResetRequest } from './ResetRequest.tsx'

/** Sets a new password by the token of the mail's link; without one it asks where to send the link. */
export function ResetPassword() {
  const [screen] = useState(() => resetScreen(location))
  return screen.token === undefined ? (
    <ResetRequest missingToken={screen.missing} />
  ) : (
    <NewPasswordForm token={screen.token} />
  )
}

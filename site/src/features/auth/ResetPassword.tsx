import { useState } from 'react'
import { resetScreen } from '../../api/account.ts'
import { NewPasswordForm } from './NewPasswordForm.tsx'
import { ResetRequest } from './ResetRequest.tsx'
import { SecureAccount } from './SecureAccount.tsx'

/**
 * Shows the new-password form, or the form that requests a reset link if the URL has no token. The link of a new-device
 * mail ends every session first.
 */
export function ResetPassword() {
  const [screen] = useState(() => resetScreen(location))
  const [resetToken, setResetToken] = useState<string>()
  if (screen.token === undefined) return <ResetRequest missingToken={screen.missing} />
  if (screen.secures && resetToken === undefined)
    return <SecureAccount token={screen.token} onSecured={setResetToken} />
  return <NewPasswordForm token={resetToken ?? screen.token} />
}

import { ValidationError } from '../../kernel/http/problemDetails.ts'
import { createThread } from '../../kernel/threads/callThread.ts'
import type { WeaknessFunctions } from './weaknessThread.ts'

/** The lists of words need 40 MB, and estimating one password takes up to 17 ms. */
const inThread = createThread<WeaknessFunctions>(new URL('./weaknessThread.ts', import.meta.url))

type Owner = Readonly<{ email: string; username: string }>

/** Rejects weak passwords. @throws ValidationError password_common, password_personal, password_guessable */
export async function assertStrong(password: string, { email, username }: Owner, path: string): Promise<void> {
  const code = await inThread('passwordWeakness', [password, { email, username }])
  if (code) throw new ValidationError([{ path, code }])
}

import { atom } from 'nanostores'
import * as z from 'zod/mini'
import { allowAccess, consent, readRequest } from '#backend/apiKeys/oauth/contract.ts'
import { type Answer, call } from '../../../api/api.ts'
import { loadBalance } from '../../../api/credits.ts'
import { once } from '../../../api/once.ts'
import { requireMember } from '../../../api/session.ts'
import { loadPassword } from '../profile.ts'

export type AccessView = Answer<typeof readRequest>

/** What a program asks for, the failure to read it, or null while loading or leaving. */
export const $request = atom<AccessView | Readonly<{ failure: unknown }> | null>(null)

/** Returns the request, which is the query of the page. */
const requested = () => Object.fromEntries(new URLSearchParams(location.search))

export async function loadRequest(): Promise<void> {
  $request.set(null)
  await call(readRequest, { query: requested() }).then(
    (view) => $request.set(view),
    (failure: unknown) => $request.set({ failure }),
  )
}

/** Loads the request, or redirects visitors to the sign-in page and back. */
export const openConsent = once(async () => {
  if (await requireMember()) await Promise.all([loadRequest(), loadPassword(), loadBalance()])
})

const Decision = z.object(consent)

/** Schema of the form of the consent page. */
export const ConsentForm = z.pipe(
  z.transform(
    ({ credits_per_month = '', password }: Readonly<Record<string, string>>): z.input<typeof Decision> => ({
      credits_per_month: credits_per_month.trim() === '' ? undefined : Number(credits_per_month),
      password,
    }),
  ),
  Decision,
)

/** Allows the request. Returns the address that continues in the program. @throws ApiError */
export const allow = async (decision: z.output<typeof ConsentForm>): Promise<string> =>
  (await call(allowAccess, { body: { ...requested(), ...decision } })).redirect_to

import { expect, it } from 'vitest'
import { acceptInvitation } from './contract.ts'
import { serveRoll } from './rollRoutes.ts'

/** Follows a mailed link of an operator without a second factor. Returns the answer and the recorded action. */
async function follow({ isFirst }: { readonly isFirst: boolean }) {
  let accept: ((call: object) => Promise<unknown>) | undefined
  const serve = (served: unknown, handler: typeof accept) => {
    if (served === acceptInvitation) accept = handler
  }
  const none = async () => {}
  const recorded: string[] = []
  serveRoll(
    serve as never,
    {
      operators: { accept: async () => ({ id: 'ida', name: 'ida', role: 'invited', isFirst }) },
      sessions: { signIn: none, endAll: none },
      actions: { record: async ({ action }: { readonly action: string }) => void recorded.push(action) },
      limit: { take: none, giveBack: none },
      assertStrong: none,
    } as never,
  )
  const answer = await accept?.({ body: { token: 'token', password: 'nineteen dry geese' }, ctx: { state: {} } })
  return { answer, recorded }
}

it.each([
  [true, 'operator_joined'],
  [false, 'password_reset'],
])('signs in an operator without a second factor whose first password it is: %s, and records %s', async (...given) => {
  const [isFirst, action] = given
  const signedIn = { success: true, name: 'ida', signed_in: true }
  expect(await follow({ isFirst })).toEqual({ answer: signedIn, recorded: [action] })
})

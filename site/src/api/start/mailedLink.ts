import { confirmStart, previewStart, start } from '#backend/accounts/contract.ts'
import { pageLocale } from '../../i18n/client.ts'
import { enter, keepRequestedPage, nextPage, requestedPage } from '../account.ts'
import { type Answer, call } from '../api.ts'
import { ApiError, ticketOf } from '../apiError.ts'
import { buyPlan } from '../plans/purchase.ts'
import { readLocalStart, WITH_DRAFT, WITH_PLAN, writeLocalStart } from './startDraft.ts'

export type StartPreview = Answer<typeof previewStart>

type Draft = NonNullable<Parameters<typeof call<typeof start>>[1]>['body'] & object

/**
 * Mails a link that signs in. It buys the chosen plan, or starts the video of this browser's draft, only if this page was
 * opened for it: another sign-in must not order what was mailed or abandoned before.
 */
export async function mailLink(email: string): Promise<void> {
  const local = readLocalStart() ?? {}
  const { prompt, camera_movements, plan } = local
  const requested = requestedPage() ?? ''
  const startsVideo = prompt && requested.endsWith(WITH_DRAFT)
  const draft = startsVideo ? { prompt, camera_movements } : requested.endsWith(WITH_PLAN) ? { plan } : {}
  await call(start, { body: { email, language: pageLocale(), draft: draft as Draft['draft'] } })
  // The link itself leads to the video of a draft.
  if (startsVideo) writeLocalStart({ ...local, mailed: true })
  else keepRequestedPage()
}

/** Returns what a mailed link continues. The link still works afterwards. */
export const previewLink = (token: string): Promise<StartPreview> => call(previewStart, { body: { token } })

/** Signs in with a mailed link and continues. Returns a ticket if the account has a second factor. */
export async function openLink(token: string, shown: StartPreview): Promise<string | undefined> {
  try {
    await enter(await call(confirmStart, { body: { token } }), () => continueWith(shown))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'second_factor_required') throw error
    return ticketOf(error)
  }
  return undefined
}

/** Returns the page after a sign-in by link. A chosen plan opens the page of the payment provider first. */
export async function continueWith({ prompt, has_image, plan }: StartPreview): Promise<string> {
  const requested = nextPage()
  if (plan && plan !== 'free') {
    // Otherwise, the next mailed link would buy the plan again.
    const { plan: _, ...draft } = readLocalStart() ?? {}
    writeLocalStart(draft)
    await buyPlan(plan)
    return '/profile#subscription'
  }
  return prompt || has_image ? WITH_DRAFT : requested
}

/** All catalogues, used only during the build. A page embeds the namespaces that its scripts need. */
import enAuth from '#content/en/auth.json'
import enBilling from '#content/en/billing.json'
import enCommon from '#content/en/common.json'
import enCredits from '#content/en/credits.json'
import enDashboard from '#content/en/dashboard.json'
import enDocs from '#content/en/docs.json'
import enErrors from '#content/en/errors.json'
import enFailures from '#content/en/failures.json'
import enFaq from '#content/en/faq.json'
import enFilm from '#content/en/film.json'
import enKeys from '#content/en/keys.json'
import enLanding from '#content/en/landing.json'
import enLegal from '#content/en/legal.json'
import enLibrary from '#content/en/library.json'
import enMovements from '#content/en/movements.json'
import enPayment from '#content/en/payment.json'
import enPlans from '#content/en/plans.json'
import enProfile from '#content/en/profile.json'
import enReading from '#content/en/reading.json'
import enReceipt from '#content/en/receipt.json'
import enShare from '#content/en/share.json'
import enSubscription from '#content/en/subscription.json'
import enTeams from '#content/en/teams.json'
import enVerify from '#content/en/verify.json'
import enWebhooks from '#content/en/webhooks.json'
import enWorks from '#content/en/works.json'
import enWorkspace from '#content/en/workspace.json'
import { type Locale, type Messages, merge } from './core.ts'

export const english = {
  auth: enAuth,
  billing: enBilling,
  common: enCommon,
  credits: enCredits,
  dashboard: enDashboard,
  docs: enDocs,
  errors: enErrors,
  failures: enFailures,
  faq: enFaq,
  film: enFilm,
  keys: enKeys,
  landing: enLanding,
  legal: enLegal,
  library: enLibrary,
  movements: enMovements,
  payment: enPayment,
  plans: enPlans,
  profile: enProfile,
  reading: enReading,
  receipt: enReceipt,
  share: enShare,
  subscription: enSubscription,
  teams: enTeams,
  verify: enVerify,
  webhooks: enWebhooks,
  works: enWorks,
  workspace: enWorkspace,
}
export type Namespace = keyof typeof english

const files = import.meta.glob<Messages>('../../../content/zh/*.json', { eager: true, import: 'default' })
const chinese = () =>
  Object.fromEntries(Object.keys(english).map((name) => [name, files[`../../../content/zh/${name}.json`] ?? {}]))

export const catalogues: Readonly<Record<Locale, Messages>> = {
  en: english,
  zh: /* @__PURE__ */ merge(english, /* @__PURE__ */ chinese()),
}

/** Errors that a form explains without an answer of the server. */
const OWN_ERRORS = /_not_for_model$|^(insufficient_credits|plan_required|invalid_input|network|timeout|unknown)$/

/** Returns the namespaces that a page embeds for its scripts; of errors, those that it explains itself if `late` brings the others. */
export const pick = (locale: Locale, namespaces: readonly Namespace[], late: boolean): Messages =>
  Object.fromEntries(
    namespaces.map((name) => {
      const texts = Object.entries(catalogues[locale][name] ?? {})
      return [name, Object.fromEntries(texts.filter(([key]) => !late || name !== 'errors' || OWN_ERRORS.test(key)))]
    }),
  )

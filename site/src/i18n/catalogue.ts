/** All catalogues, for the build only. A page embeds the namespaces that its scripts need. */
import enAuth from '#content/en/auth.json'
import enBilling from '#content/en/billing.json'
import enCommon from '#content/en/common.json'
import enCredits from '#content/en/credits.json'
import enDashboard from '#content/en/dashboard.json'
import enErrors from '#content/en/errors.json'
import enFailures from '#content/en/failures.json'
import enFaq from '#content/en/faq.json'
import enLanding from '#content/en/landing.json'
import enLegal from '#content/en/legal.json'
import enMovements from '#content/en/movements.json'
import enPayment from '#content/en/payment.json'
import enPlans from '#content/en/plans.json'
import enProfile from '#content/en/profile.json'
import enSubscription from '#content/en/subscription.json'
import enWorks from '#content/en/works.json'
import enWorkspace from '#content/en/workspace.json'
import zhAuth from '#content/zh/auth.json'
import zhBilling from '#content/zh/billing.json'
import zhCommon from '#content/zh/common.json'
import zhCredits from '#content/zh/credits.json'
import zhDashboard from '#content/zh/dashboard.json'
import zhErrors from '#content/zh/errors.json'
import zhFailures from '#content/zh/failures.json'
import zhFaq from '#content/zh/faq.json'
import zhLanding from '#content/zh/landing.json'
import zhLegal from '#content/zh/legal.json'
import zhMovements from '#content/zh/movements.json'
import zhPayment from '#content/zh/payment.json'
import zhPlans from '#content/zh/plans.json'
import zhProfile from '#content/zh/profile.json'
import zhSubscription from '#content/zh/subscription.json'
import zhWorks from '#content/zh/works.json'
import zhWorkspace from '#content/zh/workspace.json'
import { type Locale, type Messages, merge } from './core.ts'

export const english = {
  auth: enAuth,
  billing: enBilling,
  common: enCommon,
  credits: enCredits,
  dashboard: enDashboard,
  errors: enErrors,
  failures: enFailures,
  faq: enFaq,
  landing: enLanding,
  legal: enLegal,
  movements: enMovements,
  payment: enPayment,
  plans: enPlans,
  profile: enProfile,
  subscription: enSubscription,
  works: enWorks,
  workspace: enWorkspace,
}
export type Namespace = keyof typeof english

const chinese: Readonly<Record<Namespace, Messages>> = {
  auth: zhAuth,
  billing: zhBilling,
  common: zhCommon,
  credits: zhCredits,
  dashboard: zhDashboard,
  errors: zhErrors,
  failures: zhFailures,
  faq: zhFaq,
  landing: zhLanding,
  legal: zhLegal,
  movements: zhMovements,
  payment: zhPayment,
  plans: zhPlans,
  profile: zhProfile,
  subscription: zhSubscription,
  works: zhWorks,
  workspace: zhWorkspace,
}

export const catalogues: Readonly<Record<Locale, Messages>> = {
  en: english,
  zh: /* @__PURE__ */ merge(english, chinese),
}

/** Returns the namespaces that a page embeds for its scripts. */
export const pick = (locale: Locale, namespaces: readonly Namespace[]): Messages =>
  Object.fromEntries(namespaces.map((name) => [name, catalogues[locale][name] ?? {}]))

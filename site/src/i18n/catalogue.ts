/** All catalogues. Only build-time code imports this file; the browser gets the namespaces that its page embeds. */
import enAuth from '#content/en/auth.json'
import enCommon from '#content/en/common.json'
import enErrors from '#content/en/errors.json'
import enFailures from '#content/en/failures.json'
import enFaq from '#content/en/faq.json'
import enLanding from '#content/en/landing.json'
import enLegal from '#content/en/legal.json'
import enMovements from '#content/en/movements.json'
import enPlans from '#content/en/plans.json'
import enProfile from '#content/en/profile.json'
import enWorkspace from '#content/en/workspace.json'
import zhAuth from '#content/zh/auth.json'
import zhCommon from '#content/zh/common.json'
import zhErrors from '#content/zh/errors.json'
import zhFailures from '#content/zh/failures.json'
import zhFaq from '#content/zh/faq.json'
import zhLanding from '#content/zh/landing.json'
import zhLegal from '#content/zh/legal.json'
import zhMovements from '#content/zh/movements.json'
import zhPlans from '#content/zh/plans.json'
import zhProfile from '#content/zh/profile.json'
import zhWorkspace from '#content/zh/workspace.json'
import { type Locale, type Messages, merge } from './core.ts'

export const english = {
  auth: enAuth,
  common: enCommon,
  errors: enErrors,
  failures: enFailures,
  faq: enFaq,
  landing: enLanding,
  legal: enLegal,
  movements: enMovements,
  plans: enPlans,
  profile: enProfile,
  workspace: enWorkspace,
}
export type Namespace = keyof typeof english

const chinese: Readonly<Record<Namespace, Messages>> = {
  auth: zhAuth,
  common: zhCommon,
  errors: zhErrors,
  failures: zhFailures,
  faq: zhFaq,
  landing: zhLanding,
  legal: zhLegal,
  movements: zhMovements,
  plans: zhPlans,
  profile: zhProfile,
  workspace: zhWorkspace,
}

export const catalogues: Readonly<Record<Locale, Messages>> = {
  en: english,
  zh: /* @__PURE__ */ merge(english, chinese),
}

/** The namespaces that a page hands to its scripts. */
export const pick = (locale: Locale, namespaces: readonly Namespace[]): Messages =>
  Object.fromEntries(namespaces.map((name) => [name, catalogues[locale][name] ?? {}]))

import { providerView } from '../../accounts/identities/providerView.ts'
import { status } from '../../kernel/http/contract.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { OFFERS } from '../../subscriptions/contract.ts'
import { isUltraHd } from '../../tasks/contract.ts'
import type { Adapters } from '../adapters.ts'
import type { Config } from '../config/readConfig.ts'
import { VERSION } from '../version.ts'
import { rendersHere } from '../video/capacity.ts'

/** Serves what pages show of this installation. */
export function serveStatus(serve: Serve, config: Config, adapters: Adapters): void {
  const { registration } = config
  const payments = config.payments.tills[0] ?? ('off' as const)
  const payment_providers = adapters.payments.offers.map(({ name, currencies }) => ({
    name,
    currencies: [...currencies],
  }))
  const { supportEmail: support_email } = config.http
  const { label: video_label } = config.marks
  serve(status, () => ({
    demo_renderer: rendersHere(adapters.videos),
    payments,
    payment_providers,
    prompt_optimizer: hasOptimizer(adapters),
    registration,
    support_email,
    video_label,
    version: VERSION,
  }))
}

const hasOptimizer = ({ videos }: Adapters): boolean =>
  [...videos.values()].some(({ ignoresOptimizer }) => !ignoresOptimizer)

/** Returns the providers that texts name. The sandbox stands for PayPal. */
const tillsFact = (tills: Config['payments']['tills']) =>
  tills.length > 1 ? 'both' : tills[0] === 'stripe' ? 'stripe' : 'paypal'

/** Returns what texts say of this installation. */
export const installationFacts = ({ payments, registration, teamSeats }: Config, adapters: Adapters) => {
  const ways = adapters.identityProviders.map(providerView)
  const shapes = adapters.catalogue.offered().flatMap((model) => model.shapes)
  return {
    plans: payments.tills.length === 0 ? 'off' : 'on',
    tills: tillsFact(payments.tills),
    registration,
    ...(ways.length > 0 && { ways: String(ways.length), providers: JSON.stringify(ways) }),
    optimizer: hasOptimizer(adapters) ? 'on' : 'off',
    ...Object.fromEntries(OFFERS.map((offer) => [offer, payments.offers.includes(offer) ? 'on' : 'off'])),
    team: teamSeats > 1 ? 'on' : 'off',
    ultrahd: shapes.some(({ resolutions }) => resolutions.some(isUltraHd)) ? 'on' : 'off',
  }
}

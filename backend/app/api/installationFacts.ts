import { status } from '../../kernel/http/contract.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { isUltraHd } from '../../tasks/contract.ts'
import type { Adapters } from '../adapters.ts'
import type { Config } from '../config/readConfig.ts'
import { VERSION } from '../version.ts'
import { rendersHere } from '../video/capacity.ts'

/** Serves what pages show of this installation. */
export function serveStatus(serve: Serve, config: Config, adapters: Adapters): void {
  const demo_renderer = rendersHere(adapters.videos)
  const { registration } = config
  const { mode: payments } = config.payments
  const { supportEmail: support_email } = config.http
  const { label: video_label } = config.marks
  const prompt_optimizer = hasOptimizer(adapters)
  serve(status, () => ({
    demo_renderer,
    payments,
    prompt_optimizer,
    registration,
    support_email,
    video_label,
    version: VERSION,
  }))
}

const hasOptimizer = ({ videos }: Adapters): boolean =>
  [...videos.values()].some(({ ignoresOptimizer }) => !ignoresOptimizer)

/** Returns what texts say of this installation. */
export const installationFacts = ({ payments, registration }: Config, adapters: Adapters) => {
  const shapes = adapters.catalogue.offered().flatMap((model) => model.shapes)
  return {
    plans: payments.mode === 'off' ? 'off' : 'on',
    registration,
    optimizer: hasOptimizer(adapters) ? 'on' : 'off',
    ultrahd: shapes.some(({ resolutions }) => resolutions.some(isUltraHd)) ? 'on' : 'off',
  }
}

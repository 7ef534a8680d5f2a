import type { Context } from 'koa'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { Calendar } from '../kernel/time.ts'
import * as contract from './contract.ts'
import type { Control } from './control.ts'

export interface ControlRoutes {
  readonly control: Control
  readonly calendar: Calendar
  /** What can be paused. */
  readonly pausable: () => Pick<contract.Control, 'models' | 'tills'>
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
  readonly record: (ctx: Context, action: 'installation_changed', detail: string) => Promise<void>
}

/** Serves what pages show of the settings. */
export function serveNotices(serve: Serve, { notices }: Pick<Control, 'notices'>): void {
  serve(contract.notices, async ({ ctx }) => {
    ctx.set('Cache-Control', `public, max-age=${contract.NOTICES_MAX_AGE}`)
    return notices()
  })
}

/** Serves the settings to operators. */
export function serveControl(serve: Serve, routes: ControlRoutes): void {
  const { control, calendar, pausable, requireStepUp, record } = routes
  const view = async () => {
    const { settings, changes } = await control.read()
    return { settings, changes: [...changes], ...pausable() }
  }

  serve(contract.readControl, view)

  serve(contract.changeControl, async ({ body: { reason, changes }, ctx, command, operator: { name: operator } }) => {
    await requireStepUp(ctx)
    const context = { ...command(derivedId('control', ctx.state.requestId)), actor: `operator:${operator}` }
    await control.change({ operator, reason, changes, at: new Date(calendar()).toISOString() }, context)
    await record(ctx, 'installation_changed', Object.keys(changes).join(', '))
    return view()
  })
}

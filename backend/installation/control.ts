import type pg from 'pg'
import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { type Changes, RELISTENED } from '../kernel/postgres/changes.ts'
import { notify } from '../kernel/postgres/notify.ts'
import type { Notices } from './contract.ts'
import { INSTALLATION, type InstallationChanged, SETTINGS } from './events.ts'
import { installation } from './installation.decider.ts'
import type { Settings } from './settings.contract.ts'
import { blockedWordIn } from './words.rules.ts'

/** Bounds the effect of a lost notification. */
const MAX_AGE_MS = 10_000

interface ControlDeps {
  readonly handle: Handle
  readonly changes: Pick<Changes, 'subscribe'>
  readonly pool: Pick<pg.Pool, 'query'>
}

export type Control = ReturnType<typeof createControl>

/**
 * Creates the settings that operators change, and the gates that obey them. Every process folds the stream itself, and
 * reads it again when it is notified of a change, at the latest after ten seconds.
 */
export function createControl({ handle, changes, pool }: ControlDeps) {
  let freshUntil = Number.NEGATIVE_INFINITY
  changes.subscribe(({ name }) => {
    if (name === INSTALLATION || name === RELISTENED) freshUntil = Number.NEGATIVE_INFINITY
  })
  const read = async () => {
    freshUntil = performance.now() + MAX_AGE_MS
    return (await handle.read(installation, SETTINGS)).state
  }
  const settings = async (): Promise<Settings> =>
    (performance.now() < freshUntil ? (await handle.peek(installation, SETTINGS)).state : await read()).settings

  return {
    settings,
    read,

    /** Changes settings, on all processes. */
    async change(data: InstallationChanged['data'], context: CommandContext): Promise<void> {
      await handle(installation, SETTINGS, { type: 'ChangeInstallation', ...data }, context)
      await notify(pool, { name: INSTALLATION, ids: [SETTINGS] })
    },

    /**
     * Refuses a new video. Nothing of it is stored.
     * @param order without a model: films that are joined
     * @throws Rejection generation_paused, model_paused, words_blocked
     */
    async assertMayMake({ model, prompt }: { readonly model?: string; readonly prompt: string }): Promise<void> {
      const { generation_paused, paused_models, blocked_words } = await settings()
      if (generation_paused)
        throw new Rejection('generation_paused', 'New videos are paused right now. Nothing was charged.')
      if (model !== undefined && paused_models.includes(model))
        throw new Rejection('model_paused', `The model ${model} is paused right now. Please choose another one.`)
      const word = blockedWordIn(prompt, blocked_words)
      if (word !== undefined)
        throw new Rejection('words_blocked', `This site makes no videos about “${word}”. Nothing was charged.`, {
          word,
        })
    },

    /** @throws Rejection registration_paused */
    async assertMayRegister(): Promise<void> {
      if ((await settings()).registration_paused)
        throw new Rejection('registration_paused', 'New accounts are paused right now. Please try again later.')
    },

    /** Returns the names of payment providers that open no new checkout. */
    pausedTills: async (): Promise<readonly string[]> => (await settings()).paused_tills,

    /** Returns the limits of a plan, with fewer open videos if the operators allow fewer. */
    async limited<T extends { readonly openTasks: number }>(allowance: T): Promise<T> {
      const { open_tasks } = await settings()
      return { ...allowance, openTasks: Math.min(allowance.openTasks, open_tasks ?? allowance.openTasks) }
    },

    notices: async (): Promise<Notices> => noticesOf(await settings()),
  }
}

/** Returns what pages show of the settings. */
function noticesOf({ banner, figures, ...rest }: Settings): Notices {
  const paused = {
    ...(rest.generation_paused && { generation: true as const }),
    ...(rest.registration_paused && { registration: true as const }),
    ...(rest.paused_models.length > 0 && { models: rest.paused_models }),
    ...(rest.paused_tills.length > 0 && { tills: rest.paused_tills }),
  }
  return {
    ...(banner && { banner }),
    ...(figures && { figures }),
    ...(Object.keys(paused).length > 0 && { paused }),
  }
}

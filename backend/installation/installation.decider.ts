import type { Decider } from '../kernel/eventsourcing/pure/decider.ts'
import { canonicalJson } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { InstallationCommand } from './commands.ts'
import { INSTALLATION, INSTALLATION_EVENTS, type InstallationChanged, type InstallationEvent } from './events.ts'
import type { Settings } from './settings.contract.ts'

const DEFAULTS: Settings = {
  generation_paused: false,
  registration_paused: false,
  paused_models: [],
  paused_tills: [],
  banner: null,
  open_tasks: null,
  figures: null,
  blocked_words: [],
}

/** Changes that are kept in the state, newest first. */
const KEPT = 20

export type Installation = Readonly<{ settings: Settings; changes: readonly InstallationChanged['data'][] }>

function decide(
  { type: _, changes, ...command }: InstallationCommand,
  { settings }: Installation,
): readonly InstallationEvent[] {
  const isNew = ([name, value]: [string, unknown]) =>
    canonicalJson({ value }) !== canonicalJson({ value: settings[name as keyof Settings] })
  const news: Partial<Settings> = Object.fromEntries(Object.entries(changes).filter(isNew))
  if (Object.keys(news).length === 0) return []
  return [{ type: 'InstallationChanged', data: { ...command, changes: news } }]
}

/** Decides the settings of the installation, in one stream. See docs/decisions/0091-control-without-a-rebuild.md. */
export const installation: Decider<Installation, InstallationCommand, InstallationEvent> = {
  category: INSTALLATION,
  schemas: INSTALLATION_EVENTS,
  initial: { settings: DEFAULTS, changes: [] },
  evolve: ({ settings, changes }, { data }) => ({
    settings: { ...settings, ...data.changes },
    changes: [data, ...changes].slice(0, KEPT),
  }),
  decide,
  hashChained: true,
}

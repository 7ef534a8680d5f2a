import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import type { Settings } from './settings.contract.ts'

/** An operator changed settings of the installation. `changes` has the new values of those that changed. */
export type InstallationChanged = Event<
  'InstallationChanged',
  { operator: string; reason: string; changes: Partial<Settings>; at: string }
>
export type InstallationEvent = InstallationChanged

export const INSTALLATION = 'installation'
/** Id of the one stream of settings. */
export const SETTINGS = 'settings'

export const INSTALLATION_EVENTS: EventSchemas<InstallationEvent['type']> = { InstallationChanged: [] }

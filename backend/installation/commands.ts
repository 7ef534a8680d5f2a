import type { InstallationChanged } from './events.ts'

/** Sets the settings in `changes`. Those that have the value already are left out. */
export type InstallationCommand = Readonly<{ type: 'ChangeInstallation' } & InstallationChanged['data']>

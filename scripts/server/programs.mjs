/** Folder of the bundle, relative to the project. All of its files are at its top, so that paths between them are stable. */
export const OUTPUT = 'dist'

/** Programs of the bundle: the server, its child processes and its threads. Each becomes a file of the same base name. */
export const PROGRAMS = [
  'backend/main.ts',
  'backend/accounts/factors/webauthnThread.ts',
  'backend/accounts/weakness/weaknessThread.ts',
  'backend/app/backups/proveCopy.ts',
  'backend/kernel/media/marks/issuingThread.ts',
  'backend/kernel/media/marks/signingThread.ts',
  'backend/kernel/media/normaliseImage.ts',
  'backend/kernel/media/stamps.ts',
  'backend/kernel/processes/launcherProgram.ts',
  'backend/programs/ledger/hashThread.ts',
  'backend/providers/video/demo/renderChild.ts',
]

/** Child programs and threads of a server. */
const PROGRAMS = [
  'backend/accounts/factors/webauthnThread.ts',
  'backend/accounts/weakness/weaknessThread.ts',
  'backend/invoices/pdf/pdfThread.ts',
  'backend/programs/children/proveCopy.ts',
  'backend/kernel/media/marks/issuingThread.ts',
  'backend/kernel/media/marks/signingThread.ts',
  'backend/kernel/media/normaliseImage.ts',
  'backend/kernel/media/stamps.ts',
  'backend/kernel/processes/launcherProgram.ts',
  'backend/programs/ledger/readThread.ts',
  'backend/providers/video/demo/renderChild.ts',
]
/** Servers that only tests start. */
const TESTED = ['chaos', 'minimax', 'nextVersion', 'smallVideos'].map((name) => `backend/testing/${name}Program.ts`)

/**
 * Bundles by the folder of their output in the project's root. All files of a bundle are at its top, so that paths between
 * them are stable. Each program becomes a file of the same base name.
 */
export const BUNDLES = {
  dist: { servers: ['backend/main.ts'], programs: PROGRAMS },
  'dist-tests': { servers: ['backend/main.ts', ...TESTED], programs: PROGRAMS },
}

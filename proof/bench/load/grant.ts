import { runAdjust } from '#backend/programs/adjust.ts'
import type { Layout } from './layout.ts'

const CREDITS = '1000000'

/** Gives a user credits for more videos than a run makes. @throws Error if they were refused */
export async function grant({ env }: Layout, userId: string): Promise<void> {
  const lines: string[] = []
  const args = ['--user', userId, '--amount', CREDITS, '--reason', 'load']
  if ((await runAdjust(args, { ...env }, (line) => lines.push(line))) !== 0) throw new Error(lines.join('\n'))
}

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../..')
const git = (...args: string[]) => spawnSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' })

const BASELINE = 'backend/app/migrations/baseline.sql'
/** What {@link findFormerVersion} lacks where it finds none. */
export const FORMER_VERSION = 'a former commit with this baseline migration'

/**
 * Returns the version to upgrade from: `KINORA_UPGRADE_FROM`, the last tag, or the commit before this one, if it has this
 * baseline migration. The data of others is refused.
 */
export function findFormerVersion(): string | undefined {
  const tag = git('describe', '--tags', '--abbrev=0', 'HEAD~1').stdout?.trim()
  const wanted = process.env.KINORA_UPGRADE_FROM || tag || 'HEAD~1'
  const { status, stdout } = git('rev-parse', '--verify', '--quiet', '--short', `${wanted}^{commit}`)
  const isUpgradable = status === 0 && git('diff', '--quiet', stdout.trim(), '--', BASELINE).status === 0
  return isUpgradable ? stdout.trim() : undefined
}

/** Writes the sources of a commit to a temporary folder, with the packages of this version. */
export function checkOut(commit: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-former-'))
  const sources = execFileSync('git', ['-C', ROOT, 'archive', commit], { maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: sources })
  for (const shared of ['node_modules', 'site/dist']) symlinkSync(path.join(ROOT, shared), path.join(folder, shared))
  return {
    entry: path.join(folder, 'backend/main.ts'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

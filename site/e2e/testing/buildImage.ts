import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../../..')

/** Builds the image of a commit from a clone, without the files that are in this folder alone. */
export function buildImage(tag: string, commit = 'HEAD'): void {
  const hash = execFileSync('git', ['-C', ROOT, 'rev-parse', commit], { encoding: 'utf8' }).trim()
  const clone = mkdtempSync(path.join(os.tmpdir(), 'kinora-clone-'))
  try {
    execFileSync('git', ['clone', '--quiet', '--no-checkout', ROOT, clone])
    execFileSync('git', ['-C', clone, 'checkout', '--quiet', hash])
    execFileSync('docker', ['build', '-t', tag, clone], { stdio: ['ignore', 'pipe', 'pipe'] })
  } finally {
    rmSync(clone, { recursive: true })
  }
}
